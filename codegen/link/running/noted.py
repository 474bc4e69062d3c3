"""Classes that a metaclass or a base of the project's notes, so that importing their module does something."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...source.execution import notes_classes, notes_subclasses
from ..modules.graph import Definition, External, Graph
from ..modules.module import Module


def metaclasses_written(node: ast.ClassDef) -> list[ast.expr]:
    """What a class says that it is made by."""
    return [each.value for each in node.keywords if each.arg == "metaclass"]


def noting(
    graph: Graph, module: Module, node: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()
) -> Iterator[Definition]:
    """The metaclasses that note a class, of those that make it or one of its bases, and the bases that do."""
    for each in classes_called(graph, module, metaclasses_written(node)):
        yield from (part for part in lineage(graph, each) if any(map(notes_classes, classes_of(part))))
    for base in classes_called(graph, module, node.bases):
        if any(map(notes_subclasses, classes_of(base))):
            yield base
        for cls in classes_of(base):
            if cls not in (*below, node):
                yield from noting(graph, base.module, cls, (*below, node))


def lineage(graph: Graph, cls: Definition, seen: frozenset[Definition] = frozenset()) -> Iterator[Definition]:
    """A class, and those of its bases that are the project's."""
    if cls not in seen:
        yield cls
        for base in classes_called(
            graph, cls.module, [base for node in classes_of(cls) for base in node.bases]
        ):
            yield from lineage(graph, base, seen | {cls})


def classes_of(definition: Definition) -> list[ast.ClassDef]:
    chunks = definition.module.binders[definition.name]
    return [node for chunk in chunks for node in chunk.nodes if isinstance(node, ast.ClassDef)]


def classes_called(graph: Graph, module: Module, nodes: Iterable[ast.expr]) -> Iterator[Definition]:
    """The project's definitions that expressions name."""
    for dotted in (ast.unparse(each) for each in nodes if isinstance(each, ast.Name | ast.Attribute)):
        head, *rest = dotted.split(".")
        target = graph.resolve(module, head)
        if isinstance(target, External) and target.bound.is_local:
            target = _defined(graph, ".".join((target.bound.target, *rest)))
        if isinstance(target, Definition):
            yield target


def _defined(graph: Graph, dotted: str, seen: frozenset[str] = frozenset()) -> Definition | None:
    """What a dotted name of the project's leads to, through modules that import it."""
    source, _, name = dotted.rpartition(".")
    module = graph.module(source) if source else None
    target = graph.resolve(module, name) if module else None
    if isinstance(target, External) and target.bound.is_local and dotted not in seen:
        return _defined(graph, target.bound.target, seen | {dotted})
    return target if isinstance(target, Definition) else None
