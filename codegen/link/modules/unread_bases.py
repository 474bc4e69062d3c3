"""Classes of the project's whose bases are of packages that are not installed where ddpgen runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from ...source.definitions import Import
from .files import is_installed
from .graph import Definition, External, Graph, ModuleReference, Target


def unread_bases(
    graph: Graph, imports: Iterable[Import], names: Mapping[Definition, str] | None
) -> Iterator[tuple[str, str]]:
    """Such classes, as the script calls them or by their dotted names, each with the base in the way."""
    own = (Definition(each, name) for each in graph.closure(graph.entry) for name in each.binders)
    called = [(each.name if names is None else names.get(each, ""), each) for each in own]
    for name, definition in [*called, *_kept(graph, imports)]:
        if name and (base := _unread(graph, definition, frozenset())):
            yield name, base


def _kept(graph: Graph, imports: Iterable[Import]) -> Iterator[tuple[str, Definition]]:
    """What is defined in modules that stay, as the script's own code may name it."""
    for bound in (each for each in imports if each.is_local):
        module = graph.module(bound.module)
        if module is not None and bound.attribute is None:
            yield from ((f"{bound.module}.{name}", Definition(module, name)) for name in module.binders)
        elif isinstance(found := graph.followed(External(bound)), Definition):
            yield bound.target, found


def _unread(graph: Graph, definition: Definition, below: frozenset[Definition]) -> str | None:
    """The base that is in the way of reading a class, or one of its bases; None: nothing is."""
    chunks = () if definition in below else definition.module.binders.get(definition.name, ())
    classes = (node for chunk in chunks for node in chunk.nodes if isinstance(node, ast.ClassDef))
    for base in (each for node in classes for each in node.bases):
        target, rest = _named(graph, definition, base)
        if isinstance(target, Definition):
            path = _unread(graph, target, below | {definition})
        else:
            path = ".".join([target.bound.target, *rest]) if _is_missing(target) else None
        if path:
            return path
    return None


def _is_missing(target: Target | None) -> TypeGuard[External]:
    return isinstance(target, External) and not (target.bound.is_local or is_installed(target.bound.module))


def _named(graph: Graph, definition: Definition, base: ast.expr) -> tuple[Target | None, list[str]]:
    """What a base stands for, and the attributes that are asked of that."""
    first, *rest = ast.unparse(base).partition("[")[0].split(".")
    target = graph.followed(graph.resolve(definition.module, first))
    while rest and isinstance(target, ModuleReference):
        target = graph.followed(graph.member(target.name, rest.pop(0)))
    return target, rest
