"""What code stores in hydra's ConfigStore before its main runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...diagnostics import Span
from ..modules.graph import Graph
from ..modules.module import Module
from .classes import Classes, span
from .running import Running, parameters
from .values import Values

STORE = "ConfigStore"
"""What code that stores has to name."""


@dataclass(frozen=True)
class Stored:
    """What a call stores."""

    name: str
    place: Span
    node: Any = None
    group: str | None = None
    package: str | None = None
    provider: str | None = None
    unread: str = ""  # why it is not known what that is

    @property
    def path(self) -> str:
        return "/".join(filter(None, (self.group, self.name.removesuffix(".yaml"))))


@dataclass(frozen=True)
class Store:
    """All that is stored, and the calls of which not even the names are known that they store by."""

    stored: tuple[Stored, ...] = ()
    nameless: tuple[Span, ...] = ()  # those that are run
    doubtful: tuple[Span, ...] = ()  # those of which that is not known
    classes: Classes | None = None


def store_of(graph: Graph) -> Store:
    """What is stored where the entry, and what it imports, are run."""
    storing = [module for module in graph.closure(graph.entry) if STORE in module.text]
    if not storing:
        return Store()
    values = Values(graph)
    running = Running(values, Classes(values))
    for module in graph.surely_run():
        running.module(module)
    left = [each for module in storing for each in _left(module, running)]
    found = [_stored(*each) for each in running.found]
    found += [each for each in left if isinstance(each, Stored)]
    nameless = tuple(span(module, call) for module, call in running.nameless)
    doubtful = tuple(each for each in left if isinstance(each, Span))
    return Store(tuple(_once(found)), nameless, doubtful, running.classes)


def _stored(module: Module, call: ast.Call, given: dict[str, Any], unread: str) -> Stored:
    return Stored(place=span(module, call), unread=unread, **given)


def _left(module: Module, running: Running) -> Iterator[Stored | Span]:
    """The calls that may store something, or not: who knows whether they run."""
    chunks = (chunk for chunk in module.chunks if module.is_entry or not chunk.is_guard)
    nodes = (node for chunk in chunks for each in chunk.nodes for node in ast.walk(each))
    for call in nodes:
        if isinstance(call, ast.Call) and _is_store(call.func) and call not in running.reached:
            given, place = parameters(call), span(module, call)
            match given.get("name"), given.get("group", ast.Constant(None)):
                case ast.Constant(str(name)), ast.Constant(str() | None as group):
                    yield Stored(name, place, group=group, unread="whether this is run is not known")
                case _:
                    yield place


def _is_store(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "store"


def _once(found: Iterable[Stored]) -> Iterator[Stored]:
    """Each by its path; of what several modules store under one the order is not known."""
    by_path = dict[str, Stored]()
    for each in found:
        before = by_path.get(each.path, each)
        is_same = before.node is each.node and before.package == each.package
        is_known = is_same or before.place.path == each.place.path
        unread = before.unread or each.unread or ("" if is_known else "several modules store it")
        by_path[each.path] = replace(each, unread=unread)
    yield from by_path.values()
