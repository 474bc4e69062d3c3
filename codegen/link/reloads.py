"""`importlib.reload(module)` of the project's own modules, before anything is done with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .modules.graph import Graph

RELOADING = frozenset({"importlib.reload", "reload"})


def idle_reloads(graph: Graph) -> Iterator[tuple[ast.Expr, str]]:
    """The statements of the entry's that load a module again of which nothing was used before, with its name."""
    own: set[str] = set()
    for statement in graph.entry.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if any(True for _ in graph.imported_by(graph.entry, statement)):
                own.update(alias.asname or alias.name for alias in statement.names)
        elif (name := _reloaded(statement)) in own and isinstance(statement, ast.Expr):
            if ";" not in graph.entry.lines[statement.lineno - 1]:
                yield statement, name
        elif own & {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}:
            return


def without(text: str, statements: list[ast.Expr]) -> str:
    """The text with blanks in the place of statements that stand on a line of their own."""
    lines = text.split("\n")
    for statement in statements:
        lines[statement.lineno - 1] = ""
    return "\n".join(lines)


def _reloaded(statement: ast.stmt) -> str:
    """The module that a statement alone on its line loads again; empty: it does something else."""
    match statement:
        case ast.Expr(ast.Call(ast.Name() | ast.Attribute() as function, [ast.Name(name)], [])):
            is_alone = statement.lineno == statement.end_lineno
            return name if is_alone and ast.unparse(function) in RELOADING else ""
    return ""
