"""Statements of the entry's without which a script does the same.

Those that load one of the project's modules a second time before anything is done with it, `importlib.reload(module)`,
and those that show something of Lightning's own, or hide it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .. import messages
from ..diagnostics import Diagnostic
from ..lightning.api import PACKAGES
from .cli.parser import place_of
from .modules.graph import Graph
from .spec.class_paths import ClassPaths

RELOADING = frozenset({"importlib.reload", "reload"})

ABOUT_ITSELF = {
    "cli_lightning_logo": "it shows Lightning's logo",
    "disable_possible_user_warnings": "it hides warnings of Lightning's",
}
"""Functions of Lightning's that do no more than that."""


@dataclass(frozen=True)
class IdleStatement:
    """A statement that stands on a line of its own, and what is said of it."""

    node: ast.Expr
    said: Diagnostic


def idle_statements(graph: Graph) -> Iterator[IdleStatement]:
    """Those of the entry's."""
    for statement, name in _reloads(graph):
        yield IdleStatement(statement, messages.reload_left_out(place_of(graph.entry, statement), name))
    paths = ClassPaths(graph)
    for node in graph.entry.nodes:
        match node:
            case ast.Expr(ast.Call(ast.Name() | ast.Attribute() as function)) if _is_alone(graph, node):
                package, _, name = paths.meaning(graph.entry, ast.unparse(function)).partition(".")
                if package in PACKAGES and (why := ABOUT_ITSELF.get(name.rpartition(".")[2])):
                    place, called = place_of(graph.entry, node), ast.unparse(function)
                    yield IdleStatement(node, messages.shown_left_out(place, called, why))


def without(graph: Graph, statements: list[IdleStatement]) -> str:
    """The entry's text without them; where a block has no other, `pass` stands there."""
    lines, idle = graph.source.text.split("\n"), {each.node for each in statements}
    needed = {block[0] for block in _blocks(graph.entry.tree) if idle.issuperset(block)}
    for node in idle:
        margin = lines[node.lineno - 1][: node.col_offset]
        lines[node.lineno - 1] = f"{margin}pass" if node in needed else ""
    return "\n".join(lines)


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """All lists of statements below another one."""
    for node in ast.walk(tree):
        fields = () if node is tree else ("body", "orelse", "finalbody")
        found = (getattr(node, field, None) for field in fields)
        yield from (block for block in found if isinstance(block, list) and block)


def _reloads(graph: Graph) -> Iterator[tuple[ast.Expr, str]]:
    """Those that load a module again of which nothing was used before, with its name."""
    own: set[str] = set()
    for statement in graph.entry.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if any(True for _ in graph.imported_by(graph.entry, statement)):
                own.update(alias.asname or alias.name for alias in statement.names)
        elif (name := _reloaded(statement)) in own and isinstance(statement, ast.Expr):
            if _is_alone(graph, statement):
                yield statement, name
        elif own & {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}:
            return


def _is_alone(graph: Graph, statement: ast.Expr) -> bool:
    """Whether a statement has a line for itself."""
    line = graph.entry.lines[statement.lineno - 1]
    is_first = not line[: statement.col_offset].strip()
    return statement.lineno == statement.end_lineno and is_first and ";" not in line


def _reloaded(statement: ast.stmt) -> str:
    """The module that a statement loads again; empty: it does something else."""
    match statement:
        case ast.Expr(ast.Call(ast.Name() | ast.Attribute() as function, [ast.Name(name)], [])):
            return name if ast.unparse(function) in RELOADING else ""
    return ""
