"""Top-level statements of a script: their names, their lines, what they use."""

from __future__ import annotations

import ast
from functools import cache

from ..source.names import global_names
from ..source.source_text import first_line


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def name_of(node: ast.stmt) -> str:
    """What it defines; empty: nothing."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return next((target.id for target in targets if isinstance(target, ast.Name)), "")


def used_by(node: ast.stmt, lines: list[str]) -> frozenset[str]:
    """The names of the script's that it uses."""
    return _used("\n".join(lines[first_line(node) - 1 : last_line(node)]))


@cache
def _used(code: str) -> frozenset[str]:
    return global_names(code)
