"""What of a project's modules a script needs, and what the user should know of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from ... import messages
from ...diagnostics import Diagnostic
from ..imports.acting_packages import acting_packages
from ..imports.optional import optional_modules
from ..modules.graph import External, Graph, surely_imports
from ..modules.module import Module
from ..modules.packages import described_package
from ..running.doing import does_something
from ..spec.named import kept_imports
from .reach import Reach
from .sharing import Sharing


def reached(graph: Graph, converting: frozenset[str] = frozenset()) -> Reach:
    """What is reached, with a note on what is not as an author would expect it.

    What is `converting` configurations is part of it, by dotted names.
    """
    reach = _with_bases(graph, converting)
    optional = list(optional_modules(reach))
    if stay := frozenset(each for each, _, _ in optional if not reach.graph.touches_lightning(each)):
        reach = _with_bases(replace(reach.graph, stay=stay), converting)
    reach.notes += [_said_of(*each, stays=each[0] in stay) for each in optional]
    reach.notes += [*_said_of_packages(reach), *_said_of_blocks(reach)]
    reach.notes += [each for each in reach.graph.said_of_unfound() if each.severity != "error"]
    reach.notes += [note for module in reach.graph.closure(reach.graph.entry) for note in module.notes]
    return reach


def _with_bases(graph: Graph, converting: frozenset[str]) -> Reach:
    """What is reached, once the modules are known that share something with models or with mains."""
    reach = Reach(graph)
    reach.run()
    while True:
        sharing = Sharing(reach)
        bases = sharing.modules_with_bases() | sharing.modules_with(converting) | sharing.modules_asking()
        decorators = sharing.modules_with_decorators()
        if not bases | decorators:
            return reach
        graph = replace(
            graph,
            with_bases=graph.with_bases | bases,
            with_decorators=graph.with_decorators | decorators,
            touching={},
        )
        reach = Reach(graph)
        reach.run()


def _said_of(module: Module, node: ast.stmt, reason: str, stays: bool) -> Diagnostic:
    """What the user should know of a module that is imported in branches and functions alone."""
    end = node.lineno, len(module.lines[node.lineno - 1])
    place = module.shown_place((node.lineno, node.col_offset), end)
    said = messages.optional_module_stays if stays else messages.optional_module_taken
    return said(place, module.place.name, reason)


def _said_of_packages(reach: Reach) -> Iterator[Diagnostic]:
    """What the user should know of code of installed packages that becomes part of the script."""
    taken = (module.place for module, chunk in reach.in_order if not chunk.is_import)
    names = sorted({place.name for place in taken if place.is_far})
    for top, modules in groupby(names, lambda name: name.partition(".")[0]):
        package = described_package(top)
        told = package.name, package.version, package.licence
        yield messages.package_taken(reach.graph.entry.path, *told, [*modules])


def _said_of_blocks(reach: Reach) -> Iterator[Diagnostic]:
    """Modules that are imported in a `with`, which may do something to them, and become part of the script."""
    for module, node in ((module, node) for module, chunk in reach.chunks for node in chunk.nodes):
        inner = [*surely_imports(node)] if isinstance(node, ast.With) else []
        taken = {
            each.place.name
            for part in inner
            for each in reach.graph.imported_by(module, part)
            if reach.graph.is_embedded(each)
        }
        if taken:
            end = node.lineno, len(module.lines[node.lineno - 1])
            place = module.shown_place((node.lineno, node.col_offset), end)
            yield messages.imported_within(place, sorted(taken))


def kept_modules(reach: Reach) -> Iterator[str]:
    """The project's modules that the script goes on importing."""
    for resolved in (each for found in reach.resolved.values() for each in found):
        if isinstance(resolved.target, External) and resolved.target.bound.is_local:
            yield resolved.target.bound.module
    yield from (bound.module for bound in kept_imports(reach.graph))
    for node, alias in reach.graph.entry.imports.values():
        if alias.name != "*":
            target = reach.graph.imported(reach.graph.entry, node, alias)
            if isinstance(target, External) and target.bound.is_local:
                yield target.bound.module


def doing_modules(reach: Reach) -> Iterator[str]:
    """Modules that do something when they are imported, such as to enter classes into a table, and stay."""
    graph = reach.graph
    places = [(module, node) for module, chunk in reach.in_order if chunk.is_import for node in chunk.nodes]
    imported = {
        each
        for module, node in places
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in graph.imported_by(module, node)
        if not graph.is_embedded(each)
    }
    for each in imported:
        if any(does_something(graph, inner) for inner in graph.closure(each)):
            yield each.place.name
    yield from acting_packages(graph, places)
