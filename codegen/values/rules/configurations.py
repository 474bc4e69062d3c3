"""Configurations: what `instantiate` makes of them, and what their attributes are."""

from __future__ import annotations

import libcst as cst

from ...ir.project import MADE
from ..abstract import Dict, Function, Literal, Option, Sequence, Value
from ..flow import Argument, Arguments
from ..solver import Cell
from .library import Library

METHODS = frozenset("clear copy get items keys pop popitem setdefault update values".split())


class Configurations(Library):
    """The configuration that is known when building."""

    def open_if_configured(self, made: Dict, node: cst.Dict) -> None:
        """What the command line changes is known only when the script runs."""
        whole = self.configured.holds
        if whole is not None and self.index.holds(whole, node):
            keys = (each.key for each in node.elements if isinstance(each, cst.DictElement))
            self.leave_open(
                made, frozenset(str(key.evaluated_value) for key in keys if isinstance(key, cst.SimpleString))
            )

    def call(self, callee: Value, arguments: Arguments, result: Cell) -> None:
        if isinstance(callee, Function) and callee.node is self.configured.instantiate:
            self.enter(callee)
            self._instantiate(arguments, result)
        else:
            super().call(callee, arguments, result)

    def _instantiate(self, arguments: Arguments, result: Cell) -> None:
        """An argument that is no part of the configuration is not known; in the script it is checked."""
        first, rest = _parted(arguments)

        def make(value: Value) -> None:
            if isinstance(value, Dict) and value in self.open:
                self.flow(self.called(self.attribute(value, MADE), rest), result)
            elif isinstance(value, Sequence):
                self.add(result, self._each_made(value, rest))
            elif not isinstance(value, Option):
                self.add(result, value)

        if first and self.once("instantiate", arguments):
            self.watch(first.cell, make)

    def _each_made(self, value: Sequence, rest: Arguments) -> Sequence:
        elements = Cell()
        self._instantiate(Arguments(rest.node, (Argument(self.any_element(value)),)), elements)
        return self.collected("list", value.node, elements, "instantiated")

    def set_item(
        self, owner: Value, key: Value, cell: Cell, node: cst.CSTNode, written: cst.BaseExpression | None
    ) -> None:
        if isinstance(owner, Dict) and isinstance(key, Literal) and key.value == MADE:
            self.flow(cell, self.attribute(owner, MADE))
        else:
            super().set_item(owner, key, cell, node, written)

    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Dict) and value in self.open and name not in METHODS:
            self.take(value, name, result)
        else:
            super().read(value, name, result, node)

    def write(self, value: Value, name: str, cell: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Dict) and value in self.open:
            self.put(value, name, cell)
        else:
            super().write(value, name, cell, node)


def _parted(arguments: Arguments) -> tuple[Argument | None, Arguments]:
    """The configuration, and what else is given."""
    named = next((each for each in arguments.given if each.keyword == "config"), None)
    first = named or next((each for each in arguments.given if not each.keyword and not each.star), None)
    rest = tuple(each for each in arguments.given if each is not first)
    return first, Arguments(arguments.node, rest, arguments.is_open)
