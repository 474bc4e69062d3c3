"""What code makes of the program's arguments, before it hands them to LightningCLI."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..calls import CliCall, Given
from ..known import KnownValues, Unknown

COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}

CHANGES: Mapping[str, Callable[..., Any]] = {
    "append": list.append,
    "extend": list.extend,
    "insert": list.insert,
    "remove": list.remove,
    "pop": list.pop,
}
"""Methods of lists that change them."""


@dataclass(frozen=True)
class _Values(KnownValues):
    """Values that follow from the program's arguments."""

    argv: Sequence[str] = ()
    asked: list[ast.expr] = field(default_factory=list)  # where these are read

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Attribute(ast.Name("sys"), "argv"):
                self.asked.append(node)
                return ["", *self.argv]
            case ast.Subscript(value, ast.Slice(lower, upper, step)):
                return self._list(value)[slice(*(each and self.value(each) for each in (lower, upper, step)))]
            case ast.Subscript(value, index):
                return self._list(value)[self.value(index)]
            case ast.List(elements) | ast.Tuple(elements) | ast.Set(elements):
                return [part for each in elements for part in self._parts(each)]
            case ast.BinOp(left, ast.Add(), right) if isinstance(self.value(left), list):
                return self._list(left) + self._list(right)
            case ast.Compare(left, [comparison], [right]):
                return COMPARISONS[type(comparison)](self.value(left), self.value(right))
            case ast.BoolOp(operation, values):
                return self._either(values, stops_at=isinstance(operation, ast.Or))
            case ast.IfExp(test, body, orelse):
                return self.value(body if self.value(test) else orelse)
            case ast.Call(ast.Name("len" | "list" as name), [given], []):
                return len(self._list(given)) if name == "len" else list(self._list(given))
        return super().value(node)

    def _list(self, node: ast.expr) -> Any:
        value = self.value(node)
        if not isinstance(value, list | str):
            raise Unknown(node)
        return value

    def _parts(self, node: ast.expr) -> list[Any]:
        return list(self._list(node.value)) if isinstance(node, ast.Starred) else [self.value(node)]

    def _either(self, nodes: Iterable[ast.expr], stops_at: bool) -> Any:
        value = None
        for node in nodes:
            value = self.value(node)
            if bool(value) is stops_at:
                break
        return value


def arguments_made(cli: CliCall, given: Given, argv: Sequence[str]) -> tuple[Any, bool]:
    """What the call is given as its `args` where the program is given `argv`, and whether that is read.

    Raises Unknown.
    """
    names = dict[str, Any]()
    values = _Values(cli.paths, given.module, names, argv=argv)
    try:
        _run(cli.function.body if cli.function else cli.module.tree.body, cli.node, values, names)
        return values.value(given.node), bool(values.asked)
    except (LookupError, TypeError, ValueError):
        raise Unknown(given.node) from None


def _run(body: Iterable[ast.stmt], call: ast.Call, values: _Values, names: dict[str, Any]) -> bool:
    """Follow statements up to the one that holds the call; whether that is reached."""
    for node in body:
        if any(each is call for each in ast.walk(node)) and not isinstance(node, ast.If):
            return True
        try:
            if isinstance(node, ast.If):
                if _run(node.body if values.value(node.test) else node.orelse, call, values, names):
                    return True
            else:
                _follow(node, values, names)
        except Unknown:
            _forget(node, names)
    return False


def _follow(node: ast.stmt, values: _Values, names: dict[str, Any]) -> None:
    match node:
        case ast.Assign([target], value):
            _bind(target, value, values, names)
        case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
            _bind(target, value, values, names)
        case ast.AugAssign(ast.Name(name), ast.Add(), value):
            names[name] = values.value(ast.Name(name)) + values.value(value)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method), arguments, [])) if name in names:
            CHANGES[method](names[name], *map(values.value, arguments))
        case ast.Expr() | ast.Import() | ast.ImportFrom() | ast.Pass() | ast.FunctionDef() | ast.ClassDef():
            return
        case _:
            raise Unknown(node)


def _bind(target: ast.expr, value: ast.expr, values: _Values, names: dict[str, Any]) -> None:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        found = [values.value(each) for each in value.elts]
        pairs = zip(target.elts, found, strict=True)
    else:
        pairs = zip([target], [values.value(value)], strict=True)
    for each, item in pairs:
        if not isinstance(each, ast.Name):
            raise Unknown(each)
        names[each.id] = item


def _forget(node: ast.stmt, names: dict[str, Any]) -> None:
    """What a statement that cannot be followed may have changed."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            with suppress(KeyError):
                del names[each.id]
