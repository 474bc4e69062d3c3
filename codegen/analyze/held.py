"""What expressions of a user's own main hold: a function's variables are told from others of the same name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from .main_names import Names, assigned, grouped, name_of, nodes_of, unpacked
from .resolve import Found, stands_for

Place = cst.FunctionDef | None
"""The function in which an expression stands, if in one."""


@dataclass(frozen=True)
class Held:
    names: Names  # all that hold something, wherever they stand
    functions: tuple[cst.FunctionDef, ...]  # outer ones before those in them

    def made(self, value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        """All that an expression may stand for."""
        return (each for _, each in stands_for(self._within.get(value), value, self._step))

    def _step(self, place: Place, node: cst.BaseExpression) -> Found[Place] | None:
        own = self._variables[place].get(node.value) if place and isinstance(node, cst.Name) else None
        values = own or self.names.get(name_of(node))
        return None if values is None else [(self._within.get(value), value) for value in values]

    @cached_property
    def _variables(self) -> dict[cst.FunctionDef, Names]:
        return {each: grouped([*assigned([each]), *unpacked([each], self.names)]) for each in self.functions}

    @cached_property
    def _within(self) -> dict[cst.CSTNode, cst.FunctionDef]:
        """The innermost function of each expression."""
        kinds = (cst.Call, cst.Name, cst.Attribute, cst.IfExp, cst.Subscript)
        return {node: function for function in self.functions for node in nodes_of(kinds, [function])}
