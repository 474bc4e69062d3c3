"""Which values are LightningModules: what code does that asks."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ..abstract import (
    BoundMethod,
    Class,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Partial,
    Sequence,
    Value,
)
from ..bases import OpenBase
from ..flow import Arguments
from ..solver import Cell
from .containers import Containers

MODULE = "LightningModule"

ASKED = m.Call(m.Name("isinstance"), [m.Arg(keyword=None, star=""), m.Arg(keyword=None, star="")])

APART = frozenset("torch torchaudio torchvision".split())
"""Packages that have nothing to do with Lightning."""


class Kinds(Containers):
    """What `isinstance(value, LightningModule)` gives, where that is known."""

    def asks_kind(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is, or denies, such a question."""
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return self.asks_kind(node.expression)
        if not m.matches(node, ASKED):
            return False
        call = cst.ensure_type(node, cst.Call)
        function, kind = self.names.external(call.func), self.names.external(call.args[1].value)
        return function == External("builtins.isinstance") and kind is not None and kind.lightning == MODULE

    def answer_kind(self, arguments: Arguments, result: Cell) -> None:
        """What is asked of each value; of one that is not known it may be both."""
        node = arguments.node

        def answer(value: Value) -> None:
            known = self.is_module(value)
            for each in (True, False) if known is None else (known,):
                self.add(result, Literal(each, node))

        self.watch(arguments.given[0].cell, answer)
        self.postponed.append(lambda: None if result.values else self._answer_both(result, node))

    def _answer_both(self, result: Cell, node: cst.CSTNode) -> None:
        for each in (True, False):
            self.add(result, Literal(each, node))

    def is_module(self, value: Value) -> bool | None:
        """Whether a value is a LightningModule; None: that is not known."""
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            return self._makes_modules(value.cls)
        if isinstance(value, Instance):
            return False if isinstance(value.cls, External) and _is_apart(value.cls) else None
        is_other = isinstance(value, Literal | Sequence | Dict | Function | Class | BoundMethod | Partial)
        return False if is_other else None

    def _makes_modules(self, cls: Class) -> bool | None:
        if MODULE in self.lightning_bases(cls):
            return True
        order = self.bases.order(cls)
        is_known = not any(isinstance(each, OpenBase) for each in order)
        return False if is_known and all(map(_is_apart, self.library_bases(cls))) else None


def _is_apart(cls: External) -> bool:
    """Whether it is surely a class, and of objects that are no LightningModules."""
    is_other = cls.is_local or cls.package in APART or bool(cls.lightning)
    return is_other and cls.name.rpartition(".")[2][:1].isupper()
