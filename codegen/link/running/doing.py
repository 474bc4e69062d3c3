"""Modules that do something when they are imported."""

from __future__ import annotations

import ast

from ..modules.graph import Definition, External, Graph
from ..modules.module import Module
from ..modules.scopes import Use, uses_of
from .late import draws_or_sets
from .noted import is_known_elsewhere, noting


def does_something(graph: Graph, module: Module) -> bool:
    """Whether importing the module does more than to bind names."""
    for chunk in module.chunks:
        if chunk.is_import or chunk.is_guard or chunk.is_text:
            continue
        decorators = [each for node in chunk.nodes for each in getattr(node, "decorator_list", [])]
        uses = [use for each in decorators for use in uses_of(ast.Expr(each)).names]
        if not chunk.names or any(graph.roots.find(_module_of(graph, module, use)) for use in uses):
            return True
        if any(isinstance(node, ast.ClassDef) and any(noting(graph, module, node)) for node in chunk.nodes):
            return True
        if draws_or_sets(graph, module, chunk) or is_known_elsewhere(graph, module, chunk):
            return True
    return False


def _module_of(graph: Graph, module: Module, use: Use) -> str:
    """The module that a name comes from."""
    target = graph.resolve(module, use.name)
    if isinstance(target, Definition):
        return target.module.place.name
    return target.bound.module if isinstance(target, External) else ""
