"""What happens to values that go to code that is not read: it may call them."""

from __future__ import annotations

import libcst as cst

from ...lightning import api
from ..abstract import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Option,
    Partial,
    Sequence,
    Unknown,
    Value,
)
from ..bases import OpenBase
from ..flow import OTHER, Argument, Arguments
from ..solver import Cell
from .calls import Calls

CALLED_BY_TORCH = frozenset("""
    forward extra_repr state_dict load_state_dict parameters named_parameters buffers named_buffers children modules
    named_children named_modules train eval zero_grad reset_parameters get_extra_state set_extra_state step closure
    get_lr add_param_group apply to register_parameter register_buffer add_module share_memory
    set_epoch collate_fn worker_init_fn update compute reset sync
    """.split())
"""Methods, besides hooks and those with underscores, that torch calls of objects that it is given."""

CALLED_BY_LIGHTNING = (
    api.HOOKS
    | api.EVALUATION_HOOKS
    | api.STEPS
    | api.UNCALLED
    | api.CALLBACK_HOOKS
    | api.CALLBACK_STATES
    | api.CALLBACK_PARTS.keys()
    | api.UNSUPPORTED_HOOKS.keys()
    | api.MEMBERS
) - {"load_from_checkpoint"}

OF_CHECKPOINTS = frozenset({"save_checkpoint", "load_checkpoint", "remove_checkpoint"})
"""Methods that it calls of what is derived from its CheckpointIO."""

OF_INTERFACES = frozenset("torch lightning pytorch_lightning lightning_fabric torchmetrics".split())
"""Packages that call methods of their interfaces alone."""

UNREAD = "code of the project that is not part of the script"


class Escapes(Calls):
    """Values that other code may call."""

    def escape(self, value: Value, to: str) -> None:
        if value in self.escaped:
            return
        if isinstance(value, Function | BoundMethod | Descriptor | Partial):
            self.escaped[value] = None
            self.call(value, self._open(value, to), Cell())
        elif isinstance(value, Class):
            self._escape_class(value, to)
        elif isinstance(value, Instance):
            self._escape_object(value, to)
        elif isinstance(value, Option) and to == UNREAD:
            self.escaped[value] = None
        elif isinstance(value, Sequence | Dict):
            self.escaped[value] = None
            self.watch(self.any_element(value), lambda each: self.escape(each, to))
            if to == UNREAD:
                self.add(
                    self.element(value, OTHER),
                    Unknown(f"{to} may put it there", value.node),
                )

    def _open(self, value: Value, to: str) -> Arguments:
        return Arguments(_node(value), (), f"{to} hands it over")

    def _escape_class(self, value: Class, to: str) -> None:
        """It may be made objects of, but for what is Lightning's: those classes are handed over to be recognized."""
        self.escaped[value] = None
        made = Cell()
        self.construct(
            value,
            Arguments(value.node, (), f"{to} may make objects of `{value.name}`"),
            made,
        )
        self.watch(made, lambda each: self.escape(each, to))

    def _escape_object(self, value: Instance, to: str) -> None:
        self.escaped[value] = None
        if not isinstance(value.cls, Class):
            return
        for name, cell in list(self.attributes.get(value, {}).items()):
            self.flow(self.wild_attribute(name), cell)
        self.watch_order(value.cls, lambda part: self._call_methods_of(part, value, to))

    def _call_methods_of(self, part: Class | External, value: Instance, to: str) -> None:
        """Those methods of a part of an object's class that a library may call."""
        if isinstance(part, External):
            if part.lightning == "LightningModule":
                self.add(self.models, value)
            if part.lightning == "LightningDataModule":
                self.add(self.data_modules, value)
            return
        assert isinstance(value.cls, Class)
        for name in self._callable(part, value.cls):
            found = Cell()
            self.read(value, name, found, value.cls.node)
            arguments = self._hook_arguments(name, value, to)
            self.watch(self.called(found, arguments), lambda each: self.escape(each, to))

    def _callable(self, part: Class, cls: Class) -> list[str]:
        """The methods of a class that a library may call; any, where it is not known what it is derived from."""
        names = [name for name in self._methods(part) if name != "__init__" or self._is_behind(part, cls)]
        packages = {each.package for each in self.library_bases(cls)}
        is_open = any(isinstance(each, OpenBase) for each in self.bases.order(cls))
        if packages and not is_open and packages <= OF_INTERFACES:
            saves = not api.SAVING_BASES.isdisjoint(self.lightning_bases(cls))
            known = CALLED_BY_TORCH | CALLED_BY_LIGHTNING | (OF_CHECKPOINTS if saves else frozenset())
            return [name for name in names if name in known or name.startswith("__")]
        return names

    def _is_behind(self, part: Class, cls: Class) -> bool:
        """Whether a constructor of a library's, which may call the next one, comes before that of the part."""
        order = self.bases.order(cls)
        before = order[: order.index(part)] if part in order else order
        return any(not isinstance(each, Class) for each in before)

    def _methods(self, cls: Class) -> list[str]:
        own = self.index.inner_scope(cls.node).variables.values()
        return [
            each.name
            for each in own
            if each.name in CALLED_BY_LIGHTNING
            or any(isinstance(bound.by, cst.FunctionDef) for bound in each.bindings)
        ]

    def _hook_arguments(self, name: str, value: Instance, to: str) -> Arguments:
        cls = value.cls
        node = cls.node if isinstance(cls, Class) else value.node
        lightning = self.lightning_bases(cls) if isinstance(cls, Class) else [value.lightning or ""]
        if "Callback" in lightning or any(each in api.CALLBACKS for each in lightning):
            of_hook = ("trainer", "model") if name in api.CALLBACK_HOOKS else ()
            handed = api.CALLBACK_PARTS[name][1] if name in api.CALLBACK_PARTS else of_hook
            reason = f"Lightning hands it to `{name}`"
            cells = {"trainer": self.trainers, "model": self.models}
            others = self.unknown(reason, node)
            given = tuple(Argument(cells.get(each, others)) for each in handed)
            return Arguments(node, given, reason)
        if lightning:
            return Arguments(node, (), f"Lightning hands it to `{name}`")
        return Arguments(node, (), f"{to} hands it to `{name}`")


def _node(value: Value) -> cst.CSTNode:
    if isinstance(value, Function | Partial):
        return value.node
    assert isinstance(value, BoundMethod | Descriptor)
    return value.function.node
