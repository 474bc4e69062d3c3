"""Iterable datasets in the project's modules that stay, which the script's own code does not show."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .modules.graph import External, Graph
from .modules.module import Chunk, Module
from .modules.scopes import Use

ITERABLE = "IterableDataset"


def kept_streams(graph: Graph, kept: Iterable[str]) -> dict[str, bool]:
    """Names of what is an iterable dataset in modules that stay, or uses one; with whether those know their length."""
    named = [module for name in kept if (module := graph.module(name))]
    reached = dict.fromkeys(each for module in named for each in graph.closure(module))
    binders = [
        (f"{module.place.name}.{name}", module, chunk)
        for module in reached
        for name, chunks in module.binders.items()
        for chunk in chunks
    ]
    found = {path: _has_length(chunk) for path, module, chunk in binders if _is_stream(module, chunk)}
    while more := dict(_users(graph, binders, found)):
        found |= more
    return found | {path: found[meant] for path, meant in _passed_on(graph, reached) if meant in found}


def _is_stream(module: Module, chunk: Chunk) -> bool:
    """Whether a statement defines a class over torch's, by whatever name that is imported."""
    classes = (node for node in chunk.nodes if isinstance(node, ast.ClassDef))
    bases = [ast.unparse(base).partition("[")[0] for node in classes for base in node.bases]
    imported = [module.imports[base][1].name for base in bases if base in module.imports]
    return any(base.rpartition(".")[2] == ITERABLE for base in [*bases, *imported])


def _has_length(chunk: Chunk) -> bool:
    bodies = (node.body for node in chunk.nodes if isinstance(node, ast.ClassDef))
    return any(
        isinstance(part, ast.FunctionDef) and part.name == "__len__" for body in bodies for part in body
    )


def _users(
    graph: Graph, binders: list[tuple[str, Module, Chunk]], found: dict[str, bool]
) -> Iterator[tuple[str, bool]]:
    """What is not among those found, and uses one."""
    for path, module, chunk in binders:
        if path not in found:
            uses = [use for each in chunk.uses for use in each.names]
            meant = {name for use in uses for name in _meant(graph, module, use)}
            if used := meant & found.keys():
                yield path, _has_length(chunk) or all(found[name] for name in used)


def _meant(graph: Graph, module: Module, use: Use) -> Iterator[str]:
    """The dotted names that a name in a module may stand for, with the attributes that are asked of it."""
    yield from _grown(use.name, use.attributes)
    if use.name in module.binders:
        yield f"{module.place.name}.{use.name}"
        return
    if bound := use.local_import or module.imports.get(use.name):
        node, alias = bound
        source = f"{module.absolute(node)}." if isinstance(node, ast.ImportFrom) else ""
        yield from _grown(f"{source}{alias.name}", use.attributes)
    target = None if use.local_import else graph.resolve(module, use.name)
    if isinstance(target, External) and target.bound.attribute:
        yield from _grown(f"{target.bound.module}.{target.bound.attribute}", use.attributes)


def _grown(name: str, attributes: tuple[str, ...]) -> Iterator[str]:
    yield name
    for count in range(1, len(attributes) + 1):
        yield ".".join((name, *attributes[:count]))


def _passed_on(graph: Graph, modules: Iterable[Module]) -> Iterator[tuple[str, str]]:
    """What modules import of each other, under the names that it has there."""
    for module in modules:
        for name, (node, alias) in module.imports.items():
            if isinstance(node, ast.ImportFrom):
                yield f"{module.place.name}.{name}", f"{module.absolute(node)}.{alias.name}"
