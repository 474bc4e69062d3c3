"""Statements that surely bind a name, before others in the same blocks are run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from .scopes import bound_names

PLAIN = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def is_bound_above(statements: Sequence[ast.stmt], name: str, line: int) -> bool:
    """Whether what is run by the time that a line of the statements is reached surely binds a name."""
    return any(
        _surely_binds(each, name)
        for block in _blocks_round(statements, line)
        for each in block
        if (each.end_lineno or each.lineno) < line
    )


def changed_in(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that are read as they are bound, as by `+=`, or taken away."""
    nodes = [node for each in statements for node in ast.walk(each)]
    changed = {
        each.target.id
        for each in nodes
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)
    }
    return changed | {
        each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Del)
    }


def _blocks_round(block: Sequence[ast.stmt], line: int) -> Iterator[Sequence[ast.stmt]]:
    """A block, and those in it that a line stands in."""
    yield block
    for each in (each for each in block if each.lineno <= line <= (each.end_lineno or each.lineno)):
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for inner in _blocks_of(each):
                if inner[0].lineno <= line:
                    yield from _blocks_round(inner, line)


def _blocks_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a condition, a loop or the like; of a `try` none, as any of its lines may be the last one run."""
    for name in ("body", "orelse") if not isinstance(statement, ast.Try) else ():
        if inner := getattr(statement, name, None):
            yield inner


def _surely_binds(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.If):
        return _any_binds(statement.body, name) and _any_binds(statement.orelse, name)
    if isinstance(statement, ast.With):
        return _any_binds(statement.body, name)
    is_set = not isinstance(statement, ast.AnnAssign) or statement.value is not None
    return isinstance(statement, PLAIN) and is_set and name in bound_names(statement)


def _any_binds(block: Iterable[ast.stmt], name: str) -> bool:
    return any(_surely_binds(each, name) for each in block)
