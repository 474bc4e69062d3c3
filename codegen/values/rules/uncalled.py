"""Code that nothing calls in what is read: it is analyzed too, with parameters that are unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import libcst as cst

from ...index import Index
from ...lightning import api
from ..abstract import BoundMethod, Class, Descriptor, Function, Instance, Lightning, Unknown, Value
from ..flow import Argument, Arguments, Configured
from ..imports import ImportedNames
from ..solver import Cell
from .escapes import CALLED_BY_LIGHTNING
from .statements import Statements

KINDS = frozenset({"LightningModule", "LightningDataModule", "Callback", *api.CALLBACKS})
TRAINER = Lightning("lightning.pytorch.Trainer")
"""What Lightning hands models and callbacks, where no code that is read makes it."""


class Uncalled(Statements):
    """What remains, once all that the module's own code reaches is known."""

    def __init__(
        self,
        index: Index,
        names: ImportedNames,
        made_by_main: Mapping[cst.ClassDef, Mapping[str, str]],
        configured: Configured,
        path_of: Callable[[cst.CSTNode], str],
    ) -> None:
        super().__init__(index, names)
        self.configured = configured
        self.path_of = path_of
        self.made_by_main = made_by_main

    def complete(self) -> None:
        """On to a fixed point in which all functions have been read."""
        self.reached = frozenset(self.entered)
        self._make_models()
        if not self.trainers.values and self.index.trees:
            self.add(self.trainers, Instance(TRAINER, self.index.trees[0]))
        if not self.models.values:
            self.add(self.models, Unknown("the model is not made in the code that is read", None))
        self.settle()
        self._call_assigned()
        self.settle()
        while waiting := self._waiting():
            for node in waiting:
                self._call_from_nowhere(node)
            self.settle()

    def _make_models(self) -> None:
        """Models, data modules and callbacks are used, be it by a main of the script's, or as a base."""
        bases = {base for cls in self.made for base in self.lineage(cls)}
        for node in self.index.of_kind(cst.ClassDef):
            cls = Class(node)
            if KINDS & {*self.lightning_bases(cls)}:
                if node in self.made_by_main or cls not in bases:
                    self.construct(cls, self._given_by_main(cls), Cell())
                for made in list(self.made.get(cls, ())):
                    self.escape(made, "Lightning")

    def _call_assigned(self) -> None:
        """Hooks that are set from outside of their class."""
        for owner, names in list(self.stores.items()):
            for name in names.keys() & CALLED_BY_LIGHTNING:
                for each in self._objects(owner):
                    self._call_hook(each, name)

    def _objects(self, owner: Value) -> list[Instance]:
        """The objects of Lightning's kinds that have what is set of an object or a class."""
        cls = owner.cls if isinstance(owner, Instance) else owner
        kinds = {*self.lightning_bases(cls)} if isinstance(cls, Class) else {getattr(cls, "lightning", None)}
        if not KINDS & kinds:
            return []
        made = [each for derived, each in self.made.items() if owner in self.lineage(derived)]
        found = [owner] if isinstance(owner, Instance) else [each for objects in made for each in objects]
        return [each for each in found if isinstance(each, Instance)]

    def _call_hook(self, owner: Instance, name: str) -> None:
        found, node = Cell(), self.index.trees[0]
        self.read(owner, name, found, node)
        arguments = self._hook_arguments(name, owner, "Lightning")
        self.watch(self.called(found, arguments), lambda each: self.escape(each, "Lightning"))

    def _given_by_main(self, cls: Class) -> Arguments:
        """What a main of the script's passes a constructor: all is open but for the classes that are known."""
        given = self.made_by_main.get(cls.node, {})
        known = [Argument(self.holding(self.names.of(path)), name) for name, path in given.items()]
        reason = f"no code that is read makes a `{cls.name}`"
        return Arguments(cls.node, (*known, *self._own_callbacks(cls, reason)), reason)

    def _own_callbacks(self, cls: Class, reason: str) -> Iterator[Argument]:
        """Parameters for a callback of the user's own, by what they say: it, as it is by default or as it may be."""
        methods = (each for each in cls.node.body.body if isinstance(each, cst.FunctionDef))
        constructors = (each for each in methods if each.name.value == "__init__")
        for each in (each for method in constructors for each in method.params.params):
            named = self.evaluate(each.annotation.annotation).values if each.annotation else ()
            kinds = [kind for kind in named if isinstance(kind, Class) and self._is_callback(kind)]
            if kinds and each.default:
                held = Cell()
                self.flow(self.evaluate(each.default), held)
                for kind in kinds:
                    self.construct(kind, Arguments(kind.node, (), reason), held)
                yield Argument(held, each.name.value)

    def _is_callback(self, cls: Class) -> bool:
        return not {*self.lightning_bases(cls)}.isdisjoint({"Callback", *api.CALLBACKS})

    def _escape_class(self, value: Class, to: str) -> None:
        """Of the classes that LightningCLI is given, a main of the script's makes the objects."""
        if value.node not in self.made_by_main or "LightningCLI" not in to:
            super()._escape_class(value, to)

    def _waiting(self) -> list[cst.FunctionDef | cst.Lambda]:
        functions, lambdas = self.index.of_kind(cst.FunctionDef), self.index.of_kind(cst.Lambda)
        nodes: list[cst.FunctionDef | cst.Lambda] = [*functions, *lambdas]
        return [
            node
            for node in nodes
            if Function(node) not in self.entered and not self._is_configured_code(node)
        ]

    def _is_configured_code(self, node: cst.CSTNode) -> bool:
        """Whether it makes what a configuration describes, which is made where code asks for it, or not at all."""
        whole = self.configured.whole
        return whole is not None and self.index.holds(whole, node)

    def _call_from_nowhere(self, node: cst.FunctionDef | cst.Lambda) -> None:
        function = Function(node)
        if function in self.entered:
            return
        arguments = Arguments(node, (), f"`{function.name}` is not called in the code that is read")
        receivers = self._receivers(node)
        for receiver in receivers:
            self.call(BoundMethod(function, receiver), arguments, Cell())
        if not receivers:
            self.call(function, arguments, Cell())

    def _receivers(self, node: cst.FunctionDef | cst.Lambda) -> list[Value]:
        """The objects that a method is called on; none: it is a function."""
        scope = self.index.scope_of(node)
        if scope.kind != "class" or not isinstance(scope.node, cst.ClassDef) or isinstance(node, cst.Lambda):
            return []
        cls = Class(scope.node)
        kinds = {
            each.kind
            for each in self.attribute(cls, node.name.value).values
            if isinstance(each, Descriptor) and each.function.node is node
        }
        if "staticmethod" in kinds:
            return []
        if "classmethod" in kinds or node.name.value in (
            "__new__",
            "__init_subclass__",
        ):
            return [cls]
        if cls in self.made_by:
            return list(self.made_by[cls].values)
        derived = [each for each in self.made if cls in self.lineage(each)]
        known = [made for each in derived for made in self.made[each]]
        return known or [Instance(cls, cls.node)]
