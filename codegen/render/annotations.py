"""Annotations that name what stands further down are quoted: Python looks the others up at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source import execution
from ..source.execution import Function, annotations_of


def quoted(code: str, later: frozenset[str]) -> str:
    """`code`, a run of top-level statements, with those annotations as strings in which a name of `later` stands."""
    return execution.quoted(code, (each for each in _looked_up(ast.parse(code)) if _names(each) & later))


def _looked_up(node: ast.AST) -> Iterator[ast.expr]:
    """The annotations that are looked up when the statements are executed."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield from annotations_of(child)
        elif isinstance(child, ast.AnnAssign):
            yield child.annotation
        elif isinstance(child, ast.stmt):
            yield from _looked_up(child)


def _names(annotation: ast.expr) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(annotation) if isinstance(node, ast.Name))
