"""Which modules are imported above a statement, in the order in which Python runs a project."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import libcst as cst

from ...ir.project import Project, Statement
from ...lightning.api import PACKAGES
from ...source.loaded import BY_LIGHTNING
from ...source.names import Importing, is_for_types
from ..effects import acts_outside
from ..modules.graph import Graph
from ..modules.module import Chunk, Module
from ..reach.reach import Reach
from .doing import does_something
from .order import DEFINING

Loaded = dict[tuple[str, int], frozenset[str]]
"""By a statement's file and line."""


def with_loaded(project: Project, reach: Reach) -> Project:
    """The project, of which each statement says what is imported when it runs, and each module that acts then, too."""
    above, acting, loaded = Loaded(), dict[str, frozenset[str]](), frozenset[str]()
    for module, chunk in reach.in_order:
        above[module.path, chunk.line] = loaded
        for name in _imported(reach.graph, module, chunk):
            if name not in loaded and (name in project.doing or _acts(reach.graph, name)):
                acting[name] = loaded
            loaded |= {name}

    def placed(statement: Statement) -> Statement:
        decorators: Sequence[cst.CSTNode] = getattr(statement.node, "decorators", ())
        span = project.source.span(next(iter(decorators), statement.node))
        return replace(statement, loaded=above.get((span.path, span.line), loaded))

    statements = tuple(map(placed, project.statements))
    return replace(project, statements=statements, loaded=loaded, acting=acting)


def _acts(graph: Graph, name: str) -> bool:
    """Whether importing a module of the project's does more than to make what is its own."""
    module = graph.module(name)
    return module is not None and any(map(partial(_runs_code, graph), graph.closure(module)))


def _runs_code(graph: Graph, module: Module) -> bool:
    nodes = [node for chunk in module.chunks if not chunk.is_guard for node in chunk.nodes]
    run = [node for node in nodes if not isinstance(node, DEFINING | ast.Import | ast.ImportFrom)]
    return does_something(graph, module) or acts_outside(graph, module, run)


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
