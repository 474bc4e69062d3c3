"""Attributes: of objects by the call that made them, of classes in the order of their bases, and of libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...lightning import api
from ..abstract import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Super,
    Unknown,
    Value,
)
from ..bases import PLAIN, Bases, OpenBase
from ..flow import ANY_NAME, ANY_NAMES, ANY_PART, Argument, Arguments, Flow
from ..imports import ImportedNames
from ..options import NeverAdded
from ..reaching import Reaching
from ..solver import Cell

OF_LIGHTNING = api.HOOKS | api.MEMBERS | api.STEPS | api.EVALUATION_HOOKS | {"_experiment"}
"""What LightningModule surely has, and what loggers keep their writers under."""

OF_CONFIGURATION = frozenset("sys.argv os.environ absl.flags.FLAGS".split())

OF_MODEL = {"lightning_module", "model"}
"""Attributes of a Trainer's that are its model."""

OF_PARTS = {"_lightning_module", *OF_MODEL}
"""The same of a Trainer's parts, such as its strategy."""

OWNED = frozenset({"LightningModule", "LightningDataModule"})
"""What Lightning gives its trainer."""

MAX_DEPTH = 4
"""Members of members of libraries' objects are told from each other so far."""

SETTING = ("__setattr__", "__getattribute__")
"""Methods by which a class may keep something else than its attributes are set to, or give it."""

ITSELF = m.Name("self") | m.Call(m.Name("super"))
"""What a method calls its own object."""

Found = Callable[[Value], None]


def _sets(base: External, name: str) -> bool:
    """Whether a callback of Lightning's sets an attribute itself."""
    return bool(api.CALLBACKS.get(base.lightning or "")) and name in api.SET_BY_CALLBACKS


def _surely_lacks(base: External, name: str) -> bool:
    """Whether the base of all callbacks has no attribute of a name."""
    return base.lightning == "Callback" and name not in api.OF_CALLBACKS


class Attributes(Flow):
    """Reads and writes attributes."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        super().__init__(index)
        self.names = names
        self.bases = Bases(index, names)
        self.never_added, self.reaching = NeverAdded(index), Reaching(index)
        # what Lightning hands callbacks and models
        self.trainers, self.models, self.data_modules = Cell(), Cell(), Cell()
        self._own: dict[cst.ClassDef, frozenset[str]] = {}

    # ---- reading -----------------------------------------------------------------------------------------

    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Instance):
            self._read_instance(value, name, result, node)
        elif isinstance(value, Class):
            self._read_class(value, name, result, node)
        elif isinstance(value, External):
            self._read_external(value, name, result, node)
        elif isinstance(value, Super):
            found = self._bound(value.receiver, result, node)
            self._lookup_behind(value, name, found) or self.add(result, Member(value, name))
        elif isinstance(value, Member):
            self._read_member(value, name, result, node)
        elif isinstance(value, BoundMethod):
            self._read_method(value, name, result, node)
        elif isinstance(value, Function):
            self.flow(self.attribute(value, name), result)
            if name == "__get__":
                self.add(result, Member(value, name))
            elif name.startswith("__"):
                self.add(result, Unknown(f"it is `{name}` of a function", node))
            elif isinstance(value.node, cst.FunctionDef) and value.node.decorators:
                # click, for one, gives back an object with methods
                self.add(result, Unknown(f"it is `{name}` of what a decorator has made", node))
        elif isinstance(value, Option):
            self._read_option(value, name, result)
        elif isinstance(value, Unknown):
            self.add(result, value)
            self.flow(self.wild_attribute(name), result)
        elif isinstance(value, Sequence | Dict | Partial | Descriptor) or _has(value, name):
            self.add(result, Member(value, name))

    def _lookup_behind(self, value: Super, name: str, found: Found) -> bool:
        """What the classes have behind the one round `super()`: a class's, or its metaclass's."""
        cls = value.receiver_class
        metaclass = self.bases.metaclass(cls) if value.cls not in self.bases.order(cls) else None
        return self.lookup(metaclass if isinstance(metaclass, Class) else cls, name, found, value.cls)

    def _read_option(self, value: Option, name: str, result: Cell) -> None:
        """What the code has put into a namespace is no option where no parser adds one of that name."""
        option = option_in(value, f".{name}")
        if not self.never_added.has(value, name):
            self.add(result, option)
            return
        for each in (name, *ANY_NAMES):
            self.flow(self.wild_attribute(each), result)
        self.postponed.append(lambda: None if self._is_set_alone(value, name) else self.add(result, option))

    def _is_set_alone(self, value: Option, name: str) -> bool:
        """Whether the code has set what is read, and no code that is not read adds options or sets anything."""
        is_unread = any(isinstance(each, Instance) and _is_parser(each) for each in self.escaped)
        return bool(self.wild_attribute(name).values) and not is_unread and value not in self.escaped

    def _read_instance(self, value: Instance, name: str, result: Cell, node: cst.CSTNode) -> None:
        cls = value.cls
        self.flow(self.attribute(value, name), result)
        if name == "__dict__":
            self.add(result, Dict(node, value))
        if not isinstance(cls, Class):
            self.add(result, _member(value, name, node))
            if value.lightning == "Trainer" and name in OF_MODEL:
                self.flow(self.models, result)
            if value.lightning == "Trainer" and name == "datamodule":
                self.flow(self.data_modules, result)
            return
        if name == "__class__":
            self.add(result, cls)
            return
        self.flow(self.attribute(value, ANY_NAME), result)
        lightning = self.lightning_bases(cls)
        if name == "trainer" and OWNED & {*lightning}:
            self.flow(self.trainers, result)
            if "LightningDataModule" in lightning:
                self.add(result, self.none(node))
            return
        if name == api.TRAINER_OR_NONE and "LightningModule" in lightning:
            self.flow(self.trainers, result)
            self.add(result, self.none(node))
            return
        is_found = self.lookup(cls, name, self._bound(value, result, node))
        if not (is_found and self._hides_parts(value, cls, name)):
            self.flow(self.attribute(value, ANY_PART), result)
        if not is_found:
            self._read_from_library(value, cls, name, result)
        for special in ("__getattr__", "__getattribute__"):
            if name != special and self._defines(cls, special):
                self.flow(
                    self.method(value, special, node, self.holding(Literal(name, node))),
                    result,
                )

    def _read_from_library(self, value: Instance, cls: Class, name: str, result: Cell) -> None:
        """An attribute that no class of the user's has in its body may be one that a library sets."""
        if name.startswith("__") and name.endswith("__"):
            self.add(result, Member(value, name))
        is_own = any(name in self.set_in(part) for part in self.lineage(cls))

        def found(part: Class | External) -> None:
            if isinstance(part, External) and part.name not in PLAIN and not _surely_lacks(part, name):
                if not is_own or (part.lightning and name in OF_LIGHTNING) or _sets(part, name):
                    self.add(result, Member(value, name))
                if name == "trainer" and part.lightning == "LightningModule":
                    self.flow(self.trainers, result)

        self.watch_order(cls, found)

    def set_in(self, cls: Class) -> frozenset[str]:
        """Attributes that the code of a class sets on anything."""
        if cls.node not in self._own:
            targets = self.index.within(cls.node, cst.Attribute)
            self._own[cls.node] = frozenset(each.attr.value for each in targets if self._is_target(each))
        return self._own[cls.node]

    def _is_target(self, node: cst.Attribute) -> bool:
        parent = self.index.parent(node)
        if isinstance(parent, cst.Element):
            return self._is_part_of_target(parent)
        return isinstance(parent, cst.AssignTarget) or getattr(parent, "target", None) is node

    def _is_part_of_target(self, node: cst.CSTNode) -> bool:
        while isinstance(node, cst.Element | cst.Tuple | cst.List):
            parent = self.index.parent(node)
            if parent is None or getattr(parent, "target", None) is node:
                return parent is not None
            node = parent
        return False

    def _defines(self, cls: Class, name: str) -> bool:
        """Whether a class of the user's defines a method."""
        return any(self.index.inner_scope(part.node).bindings(name) for part in self.lineage(cls))

    def lineage(self, cls: Class) -> list[Class]:
        """The class and its bases that are the user's, those that are known when it is made too."""
        return [each for each in self._order(cls, frozenset()) if isinstance(each, Class)]

    def library_bases(self, cls: Class) -> list[External]:
        """Its bases that are libraries', object and the like left out."""
        order = self._order(cls, frozenset())
        return [each for each in order if isinstance(each, External) and each.name not in PLAIN]

    def lightning_bases(self, cls: Class) -> list[str]:
        """Names in Lightning's API of what the class is derived from."""
        return [each.lightning for each in self.library_bases(cls) if each.lightning]

    def watch_order(
        self, cls: Class, found: Callable[[Class | External], None], seen: frozenset[Class] = frozenset()
    ) -> None:
        """Hands on the class and its bases, now or once they are known."""
        for part in self.bases.order(cls):
            if not isinstance(part, OpenBase):
                found(part)
                continue

            def follow(value: Value) -> None:
                if isinstance(value, Class) and value not in seen and value is not cls:
                    self.watch_order(value, found, seen | {cls})
                elif isinstance(value, External):
                    found(value)

            self.watch(self.evaluate(part.node), follow)

    def _order(self, cls: Class, seen: frozenset[Class]) -> list[Class | External]:
        order = self.bases.order(cls)
        if not any(isinstance(part, OpenBase) for part in order):
            return [part for part in order if not isinstance(part, OpenBase)]
        found: dict[Class | External, None] = {}
        for part in order:
            values = self.evaluate(part.node).values if isinstance(part, OpenBase) else (part,)
            for value in values:
                if isinstance(value, Class) and value is not cls and value not in seen and value not in order:
                    found |= dict.fromkeys(self._order(value, seen | {cls}))
                elif isinstance(value, Class | External):
                    found[value] = None
        return list(found)

    def _read_class(self, value: Class, name: str, result: Cell, node: cst.CSTNode) -> None:
        for each in ANY_NAMES:
            self.flow(self.attribute(value, each), result)
        if name == "__dict__":
            self.add(result, Dict(node, value))
        if self.is_enum(value):
            self.add(result, Unknown(f"it is a member of the Enum `{value.name}`", node))
            return

        def found(each: Value) -> None:
            if isinstance(each, Descriptor) and each.kind == "classmethod":
                self.add(result, BoundMethod(each.function, value))
            elif isinstance(each, Descriptor) and each.kind == "staticmethod":
                self.add(result, each.function)
            elif not (isinstance(each, Descriptor) and each.kind == "setter"):
                self.add(result, each)

        if not (self.lookup(value, name, found) or self._read_metaclass(value, name, result, node)):
            self.add(result, Member(value, name))

    def _read_metaclass(self, value: Class, name: str, result: Cell, node: cst.CSTNode) -> bool:
        """What a class has of its metaclass; False: that may have it from a library."""
        metaclass = self.bases.metaclass(value)
        is_users = isinstance(metaclass, Class) and not (name.startswith("__") and name.endswith("__"))
        return is_users and self.lookup(metaclass, name, self._bound(value, result, node))  # type: ignore[arg-type]  # a Class

    def is_enum(self, cls: Class) -> bool:
        return any(each.name.startswith("enum.") for each in self.library_bases(cls))

    def _read_external(self, value: External, name: str, result: Cell, node: cst.CSTNode) -> None:
        self.flow(self.attribute(value, name), result)
        found = self.names.member(value, name)
        self.add(
            result,
            Option(found.name, node) if found.name in OF_CONFIGURATION else found,
        )

    def _read_member(self, value: Member, name: str, result: Cell, node: cst.CSTNode) -> None:
        owner = value.receiver
        if (
            value.name == "hparams"
            and isinstance(owner, Instance)
            and self.hyperparameter(owner, name, result)
        ):
            return
        if isinstance(owner, Instance) and owner.lightning == "Trainer" and name in OF_PARTS:
            self.flow(self.models, result)
        self.flow(self.attribute(value, name), result)
        self.add(result, _member(value, name, node))

    def hyperparameter(self, owner: Instance, name: str, result: Cell) -> bool:
        """What `hparams` holds: the constructor's parameter, where there is one of that name.

        Unless a metaclass may save others, once the object is made, or code outside of the class.
        """
        if isinstance(owner.cls, Class) and self._is_called_by_metaclass(owner.cls):
            return False
        if self._are_saved_outside:
            return False
        parts = self.bases.order(owner.cls) if isinstance(owner.cls, Class) else ()
        for part in (part for part in parts if isinstance(part, Class)):
            for binding in self.index.inner_scope(part.node).bindings("__init__"):
                if isinstance(binding.by, cst.FunctionDef):
                    scope = self.index.inner_scope(binding.by)
                    parameters = [each for each in scope.bindings(name) if isinstance(each.by, cst.Param)]
                    for parameter in parameters:
                        self.flow(self.of_variable(parameter.variable), result)
                    return bool(parameters)
        return False

    @cached_property
    def _are_saved_outside(self) -> bool:
        """Whether something may save hyperparameters of other objects than its own."""
        saving = self.index.attributes("save_hyperparameters")
        return any(not m.matches(each.value, ITSELF) for each in saving)

    def _is_called_by_metaclass(self, cls: Class) -> bool:
        metaclass = self.bases.metaclass(cls)
        return isinstance(metaclass, Class) and self._defines(metaclass, "__call__")

    def _read_method(self, value: BoundMethod, name: str, result: Cell, node: cst.CSTNode) -> None:
        if name == "__func__":
            self.add(result, value.function)
        elif name == "__self__":
            self.add(result, value.receiver)
        else:
            self.read(value.function, name, result, node)

    # ---- classes -----------------------------------------------------------------------------------------

    def lookup(
        self,
        cls: Class,
        name: str,
        found: Found,
        after: Class | None = None,
        seen: set[Class] | None = None,
    ) -> bool:
        """Hands on what a class and its bases have under a name; False: a library may have it instead, too.

        `seen`: classes that were looked at already, as one may seem to be its own base.
        """
        seen = {cls} if seen is None else seen
        order = self.bases.order(cls)
        if after is not None:
            order = order[order.index(after) + 1 :] if after in order else ()
        is_sure = True
        for part in order:
            if isinstance(part, OpenBase):
                self._lookup_in_open(part, name, found, seen)
                is_sure = False
            elif isinstance(part, External):
                known = part.lightning in ("LightningModule", "LightningDataModule") and name in OF_LIGHTNING
                if known:
                    return False
            else:
                self.watch(self.attribute(part, name), found)
                if self.index.inner_scope(part.node).bindings(name):
                    return is_sure
        return False

    def _lookup_in_open(self, base: OpenBase, name: str, found: Found, seen: set[Class]) -> None:
        """In a base that is known when the class is made."""

        def look(value: Value) -> None:
            if isinstance(value, Class) and value not in seen:
                seen.add(value)
                self.lookup(value, name, found, seen=seen)
            elif isinstance(value, Unknown | Option):
                found(value)

        self.watch(self.evaluate(base.node), look)

    def _bound(self, receiver: Value, result: Cell, node: cst.CSTNode) -> Found:
        """What takes an attribute of a class's, and gives it as an attribute of the receiver."""

        def found(value: Value) -> None:
            cls = receiver.cls if isinstance(receiver, Instance) else receiver
            if isinstance(value, Function):
                self.add(result, BoundMethod(value, receiver))
            elif not isinstance(value, Descriptor):
                self._described(value, receiver, result, node)
            elif value.kind == "property":
                self.call(BoundMethod(value.function, receiver), Arguments(node), result)
            elif value.kind == "classmethod":
                self.add(result, BoundMethod(value.function, cls))
            elif value.kind == "staticmethod":
                self.add(result, value.function)

        return found

    def _described(self, value: Value, receiver: Value, result: Cell, node: cst.CSTNode) -> None:
        """Objects that are descriptors say themselves what they are read as."""
        if (
            isinstance(value, Instance)
            and isinstance(value.cls, Class)
            and self._defines(value.cls, "__get__")
        ):
            arguments = self.holding(receiver), self.unknown("it is the owner of a descriptor", node)
            self.flow(self.method(value, "__get__", node, *arguments), result)
        else:
            self.add(result, value)

    def keeps_as_set(self, node: cst.Attribute) -> bool:
        """Whether an attribute of `self` is what it has been set to, whatever class derives from the one round it."""
        cls, name = self.index.class_of(node), node.attr.value
        order = self.bases.order(Class(cls)) if cls is not None and name not in OF_LIGHTNING else ()
        if not order or not all(isinstance(each, Class) or _keeps_as_set(each) for each in order):
            return False
        scopes = map(self.index.inner_scope, self.index.of_kind(cst.ClassDef))
        return not any(scope.bindings(each) for scope in scopes for each in (name, *SETTING))

    # ---- writing -----------------------------------------------------------------------------------------

    def write(self, value: Value, name: str, cell: Cell, node: cst.CSTNode) -> None:
        value = value.receiver if isinstance(value, Super) else value
        held = (
            self.wild_attribute
            if isinstance(value, Unknown | Option | Member)
            else partial(self.attribute, value)
        )
        if name == ANY_NAME and (isinstance(value, Unknown | Member) or self._keeps_parts(value)):
            self.watch(cell, lambda each: self.add(held(ANY_PART if self._is_part(each) else name), each))
        else:
            self.flow(cell, held(name))
        self.stores.setdefault(value, {}).setdefault(name, {})[node] = None
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            self._call_setters(value, value.cls, name, cell, node)

    def _is_part(self, value: Value) -> bool:
        """Whether it is a module of a class of the user's."""
        if not (isinstance(value, Instance) and isinstance(value.cls, Class)):
            return False
        bases = self.library_bases(value.cls)
        return any(each.name.startswith("torch.nn.") or each.lightning == "LightningModule" for each in bases)

    def _keeps_parts(self, value: Value) -> bool:
        """Whether modules that are set as its attributes are where torch's modules have them, and hide nothing."""
        is_part = isinstance(value, Instance) and self._is_part(value)
        return is_part and not self._defines(value.cls, "__setattr__")  # type: ignore[arg-type, union-attr]  # a Class's

    def _hides_parts(self, value: Instance, cls: Class, name: str) -> bool:
        """Whether a module that is set under a name that is not known is not read by this one, which a class binds.

        Of other objects than modules, it is taken that it is set in place of none of their methods.
        """
        scopes = [self.index.inner_scope(part.node) for part in self.lineage(cls)]
        bound = [each.by for scope in scopes for each in scope.bindings(name)]
        return self._keeps_parts(value) or all(isinstance(each, cst.FunctionDef) for each in bound)

    def _call_setters(self, value: Instance, cls: Class, name: str, cell: Cell, node: cst.CSTNode) -> None:
        """Setters of properties, and `__setattr__`."""

        def found(each: Value) -> None:
            if isinstance(each, Descriptor) and each.kind == "setter":
                method = BoundMethod(each.function, value)
                self.call(method, Arguments(node, (Argument(cell),)), Cell())
            if (
                isinstance(each, Instance)
                and isinstance(each.cls, Class)
                and self._defines(each.cls, "__set__")
            ):
                self.method(each, "__set__", node, self.holding(value), cell)

        self.lookup(cls, name, found)
        if self._defines(cls, "__setattr__"):
            self.method(value, "__setattr__", node, self.holding(Literal(name, node)), cell)


def _member(value: Instance | Member, name: str, node: cst.CSTNode) -> Member | Unknown:
    depth = _depth(value) + 1
    if depth > MAX_DEPTH:
        return Unknown(f"`{name}` is an attribute of a library's object", node)
    return Member(value, name, depth)


def _keeps_as_set(base: External | OpenBase) -> bool:
    """Whether objects of a library's class have attributes as they are set."""
    if isinstance(base, OpenBase):
        return False
    return base.name in {*PLAIN, "torch.nn.Module"} or base.lightning in OWNED


def _has(value: Value, name: str) -> bool:
    """Whether a literal has an attribute; without it, reading it ends the run."""
    return isinstance(value, Literal) and hasattr(value.value, name)


def _is_parser(value: Instance) -> bool:
    return isinstance(value.cls, External) and value.cls.name.endswith("Parser")


def _depth(value: Value) -> int:
    if isinstance(value, Instance):
        return _depth(value.cls)
    return value.depth if isinstance(value, Member) else 0


def option_in(option: Option, suffix: str) -> Option:
    """A part of an option."""
    return (
        option
        if option.name.count(".") + option.name.count("[") > 6
        else Option(option.name + suffix, option.node)
    )
