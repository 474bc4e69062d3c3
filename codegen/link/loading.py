"""Which modules are imported above a statement, in the order in which Python runs a project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..ir.project import Project, Statement
from ..lightning.api import PACKAGES
from ..source.loaded import BY_LIGHTNING
from .modules.graph import Graph
from .modules.module import Chunk, Module
from .modules.scopes import Importing, is_for_types
from .reach import Reach

Loaded = dict[tuple[str, int], frozenset[str]]
"""By a statement's file and line."""


def with_loaded(project: Project, reach: Reach) -> Project:
    """The project, of which each statement says what is imported when it runs."""
    above, loaded = _loaded(reach)

    def placed(statement: Statement) -> Statement:
        span = project.source.span(statement.node)
        return replace(statement, loaded=above.get((span.path, span.line), loaded))

    return replace(project, statements=tuple(map(placed, project.statements)), loaded=loaded)


def _loaded(reach: Reach) -> tuple[Loaded, frozenset[str]]:
    """What is imported above each statement, and in the end."""
    above, loaded = Loaded(), frozenset[str]()
    for module, chunk in reach.in_order:
        above[module.path, chunk.line] = loaded
        if imported := frozenset(_imported(reach.graph, module, chunk)) - loaded:
            loaded |= imported
    return above, loaded


def _imported(graph: Graph, module: Module, chunk: Chunk) -> Iterator[str]:
    """The modules that running a statement imports, those left out that become part of the script."""
    for node, uses in zip(chunk.nodes, chunk.uses, strict=True):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _named(graph, module, node)
        elif not is_for_types(node) and not chunk.is_guard:
            for inner, is_late in uses.imports:
                if not is_late:
                    yield from _named(graph, module, inner)


def _named(graph: Graph, module: Module, node: Importing) -> Iterator[str]:
    """The modules that an import names, with their packages, and those that Lightning imports."""
    source = module.absolute(node) if isinstance(node, ast.ImportFrom) else ""
    for name in (".".join(filter(None, (source, alias.name))) for alias in node.names):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            found = graph.module(each := ".".join(parts[:length]))
            if found is None or not graph.is_embedded(found):
                yield each
        if parts[0] in PACKAGES and graph.module(parts[0]) is None:
            yield from BY_LIGHTNING
