"""What is imported from a module that becomes part of the script, and that has it not."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...source.definitions import Import
from ..modules.graph import Graph
from ..modules.module import Module
from ..modules.scopes import Use


def not_there(graph: Graph, module: Module, use: Use, bound: Import) -> Iterator[Diagnostic]:
    """What is said of a use of such an import, or of what a module makes when it is asked."""
    if module in (graph.spec, graph.configuration):  # which are told of otherwise
        return
    owner = _owner(graph, bound)
    if owner is None or bound.attribute in owner.binders.keys() | owner.imports.keys():
        return
    if graph.module(bound.target) is None:
        is_made = "__getattr__" in owner.binders
        yield messages.not_in_module(module.place_of_use(use), bound.target, is_made)


def _owner(graph: Graph, bound: Import) -> Module | None:
    """The module that something is imported from, where that becomes part of the script and its names are known."""
    is_whole = bound.attribute is None or bound.is_star
    owner = None if is_whole or bound.level or bound.is_local else graph.module(bound.module)
    if owner is None or owner.damage or owner.stars or not graph.is_embedded(owner):
        return None
    return owner
