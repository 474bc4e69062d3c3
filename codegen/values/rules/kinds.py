"""Which values are LightningModules, data modules, or of builtin kinds: what code does that asks."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...lightning.api import CALLBACKS
from ..abstract import (
    BoundMethod,
    Class,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Partial,
    Sequence,
    Value,
)
from ..bases import PLAIN, OpenBase
from ..flow import Arguments
from ..solver import Cell
from .containers import Containers

ASKED_FOR = ("LightningModule", "LightningDataModule")
"""Classes of Lightning's of which it is followed what is one."""

ASKED = m.Call(m.Name("isinstance"), [m.Arg(keyword=None, star=""), m.Arg(keyword=None, star="")])

ASKED_OF_CLASS = m.Call(m.Name("issubclass"), [m.Arg(keyword=None, star=""), m.Arg(keyword=None, star="")])

APART = frozenset("torch torchaudio torchvision".split())
"""Packages that have nothing to do with Lightning."""


BUILTIN = {"list": list, "tuple": tuple, "set": set, "dict": dict, "str": str, "int": int, "float": float}
BUILTIN |= {"bool": bool, "complex": complex, "bytes": bytes, "frozenset": frozenset}

DISPLAYS: dict[type[cst.CSTNode], str] = {
    cst.Dict: "dict",
    cst.DictComp: "dict",
    cst.List: "list",
    cst.ListComp: "list",
    cst.Set: "set",
    cst.SetComp: "set",
    cst.Tuple: "tuple",
}

BUILTIN_MAKERS = {External(f"builtins.{each}") for each in ("list", "tuple", "set", "dict")}

NO_CONTAINERS = frozenset({*ASKED_FOR, "Callback", "Trainer", *CALLBACKS})
"""What of Lightning's is of no builtin kind."""


class Kinds(Containers):
    """What `isinstance(value, LightningModule)` gives, and the same of data modules, where that is known."""

    def kind_asked(self, node: cst.BaseExpression) -> str | None:
        """Of which class of Lightning's an expression asks, or denies, that a value is one."""
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return self.kind_asked(node.expression)
        return self._kind_named(node, "isinstance") if m.matches(node, ASKED) else None

    def base_asked(self, node: cst.BaseExpression) -> str | None:
        """From which class of Lightning's an expression asks if a class is derived."""
        return self._kind_named(node, "issubclass") if m.matches(node, ASKED_OF_CLASS) else None

    def _kind_named(self, node: cst.BaseExpression, by: str) -> str | None:
        call = cst.ensure_type(node, cst.Call)
        function, kind = self.names.external(call.func), self.names.external(call.args[1].value)
        if function != External(f"builtins.{by}") or kind is None:
            return None
        return kind.lightning if kind.lightning in ASKED_FOR else None

    def answer_kind(self, kind: str, arguments: Arguments, result: Cell) -> None:
        """What is asked of each value; of one that is not known it may be both."""
        node = arguments.node

        def answer(value: Value) -> None:
            known = self.is_of_kind(value, kind)
            for each in (True, False) if known is None else (known,):
                self.add(result, Literal(each, node))

        self.watch(arguments.given[0].cell, answer)
        self.postponed.append(lambda: None if result.values else self._answer_both(result, node))

    def _answer_both(self, result: Cell, node: cst.CSTNode) -> None:
        for each in (True, False):
            self.add(result, Literal(each, node))

    def is_of_kind(self, value: Value, kind: str) -> bool | None:
        """Whether a value is one of a class of Lightning's; None: that is not known."""
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            return self._makes(value.cls, kind)
        if isinstance(value, Instance):
            return False if isinstance(value.cls, External) and _is_apart(value.cls) else None
        is_other = isinstance(value, Literal | Sequence | Dict | Function | Class | BoundMethod | Partial)
        return False if is_other else None

    def _makes(self, cls: Class, kind: str) -> bool | None:
        if kind in self.lightning_bases(cls):
            return True
        order = self.bases.order(cls)
        is_known = not any(isinstance(each, OpenBase) for each in order)
        return False if is_known and all(map(_is_apart, self.library_bases(cls))) else None

    def is_derived(self, value: Value, kind: str) -> bool | None:
        """Whether a value is a class that is derived from one of Lightning's; None: that is not known."""
        if isinstance(value, External):
            return False if _is_apart(value) and value.lightning != kind else None
        return self._makes(value, kind) if isinstance(value, Class) else None

    def is_builtin(self, value: Value, kinds: frozenset[str]) -> bool | None:
        """Whether a value is of one of some builtin kinds; None: that is not known."""
        if isinstance(value, Literal) and kinds <= BUILTIN.keys():
            return isinstance(value.value, tuple(BUILTIN[each] for each in kinds))
        if isinstance(value, Sequence | Dict):
            made = self._display(value)
            return None if made is None or not kinds <= BUILTIN.keys() else made in kinds
        is_other = isinstance(value, Function | BoundMethod | Class | Partial) or self._is_no_container(value)
        return False if is_other and kinds <= BUILTIN.keys() else None

    def _display(self, value: Sequence | Dict) -> str | None:
        """The builtin kind of a container that a display or the kind itself makes."""
        if isinstance(value, Sequence) and value.part:
            return None
        if isinstance(value.node, cst.Call):
            maker = self.names.external(value.node.func)
            return maker.name.removeprefix("builtins.") if maker in BUILTIN_MAKERS else None
        return DISPLAYS.get(type(value.node))

    def _is_no_container(self, value: Value) -> bool:
        """Whether it is an object of what Lightning trains with, and of no other library's."""
        if not isinstance(value, Instance) or isinstance(value.cls, Member):
            return False
        if isinstance(value.cls, External):
            return value.cls.lightning in NO_CONTAINERS
        bases = [each for each in self.library_bases(value.cls) if each.name not in PLAIN]
        is_known = not any(isinstance(each, OpenBase) for each in self.bases.order(value.cls))
        return is_known and all(each.lightning in NO_CONTAINERS for each in bases)


def _is_apart(cls: External) -> bool:
    """Whether it is surely a class, and of objects that are neither."""
    is_other = cls.is_local or cls.package in APART or bool(cls.lightning)
    return is_other and cls.name.rpartition(".")[2][:1].isupper()
