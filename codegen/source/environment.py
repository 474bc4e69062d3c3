"""Conditions on the environment, as that of the build decides them."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

ENVIRONMENT = "os.environ"
ASKING = frozenset({"os.environ.get", "os.getenv"})
SAME_KIND = frozenset("lower upper strip".split())
"""Methods of texts that give a text."""

COMPARING: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


class NotDecided(Exception):
    """The expression asks for something else than the environment."""


@dataclass
class Conditions:
    """Decides conditions, and notes which variables do."""

    variables: dict[str, None] = field(default_factory=dict)

    def decided(self, code: str) -> bool | None:
        """What a condition comes to; None: the environment alone does not say."""
        try:
            return bool(self._value(ast.parse(code.strip(), mode="eval").body))
        except (NotDecided, SyntaxError, TypeError, AttributeError):
            return None

    def _value(self, node: ast.expr) -> Any:
        """Raises NotDecided."""
        match node:
            case ast.Constant(value):
                return value
            case ast.List(elements) | ast.Tuple(elements) | ast.Set(elements):
                return [self._value(each) for each in elements]
            case ast.UnaryOp(ast.Not(), operand):
                return not self._value(operand)
            case ast.BoolOp(operation, values):
                return self._either(values, stops_at=isinstance(operation, ast.Or))
            case ast.Compare(left, [comparison], [right]):
                return COMPARING[type(comparison)](self._value(left), self._compared(left, right))
            case ast.Call(ast.Name("bool"), [given], []):
                return bool(self._value(given))
            case ast.Call(ast.Attribute(value, method), [], []) if method in SAME_KIND:
                return getattr(str(self._value(value)), method)()
            case ast.Call(function, [name, *default], []) if ast.unparse(function) in ASKING:
                return self._asked(name, *map(self._value, default))
        raise NotDecided

    def _either(self, nodes: list[ast.expr], stops_at: bool) -> Any:
        value = None
        for node in nodes:
            value = self._value(node)
            if bool(value) is stops_at:
                break
        return value

    def _compared(self, left: ast.expr, right: ast.expr) -> Any:
        """What something is compared with; the environment itself is what a name is looked for in."""
        if ast.unparse(right) != ENVIRONMENT:
            return self._value(right)
        self._asked(left)
        return os.environ

    def _asked(self, name: ast.expr, default: str | None = None) -> str | None:
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            raise NotDecided
        self.variables[name.value] = None
        return os.environ.get(name.value, default)
