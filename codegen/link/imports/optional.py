"""Modules that may never be imported, and then must not be: what they import may be missing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping

from ...lightning.api import PACKAGES
from ..modules.graph import Graph
from ..modules.module import Module
from ..reach.reach import Reach

OF_ONE_SYSTEM = frozenset("""
    _winapi curses fcntl grp msvcrt nt posix pty pwd readline resource syslog termios tty winreg winsound
    """.split())
"""Modules of Python's own that not every system has."""

OF_SCRIPTS = frozenset({"numpy", "torch"})
"""Packages that scripts import themselves."""


def optional_modules(reach: Reach) -> Iterator[tuple[Module, ast.stmt, str]]:
    """Modules that would become part of the script, and are imported in branches and functions alone.

    As far as they import a package that no module imports that surely is run, or raise; with the place, and why.
    """
    graph = reach.graph
    by_file = filter(None, (graph.module(each.name) for each in graph.roots.by_file))  # told for this build
    sure = {*graph.surely_run(), *graph.making_values, *graph.run_with(by_file)}
    known = {*OF_SCRIPTS, *(package for module in sure for _, package in _packages(graph, module))}
    unsure = [module for module in dict.fromkeys(module for module, _ in reach.chunks) if module not in sure]
    found: dict[Module, tuple[ast.stmt, str]] = {}
    count = -1
    while len(found) > count:
        count = len(found)
        for module in unsure:
            if module not in found and (reason := next(_reasons(graph, module, known, found), None)):
                found[module] = reason
    yield from ((module, *reason) for module, reason in found.items())


def _reasons(
    graph: Graph, module: Module, known: set[str], found: Mapping[Module, object]
) -> Iterator[tuple[ast.stmt, str]]:
    """Why importing a module may fail; `found` are modules of which that is known."""
    foreign = ((node, name) for node, name in _packages(graph, module) if name not in known)
    own = ((node, each) for node in _imports(module) for each in graph.imported_by(module, node))
    unsure = ((node, each.place.name) for node, each in own if each in found)
    yield from ((node, f"imports `{name}`, which may be missing") for node, name in foreign)
    yield from ((node, f"imports `{name}`, which may fail to be imported, too") for node, name in unsure)
    missing = {node: "." * node.level + (node.module or "") for of, node, _ in graph.unfound if of is module}
    yield from ((node, f"imports `{name}`, which is not there") for node, name in missing.items())
    yield from ((node, "may refuse to be imported") for node in _raises(module))


def _imports(module: Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports at a module's top level."""
    for node in (node for chunk in module.chunks if chunk.is_import for node in chunk.nodes):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def _raises(module: Module) -> Iterator[ast.stmt]:
    """The statements that may raise when the module is run."""
    for node in (node for chunk in module.chunks for node in chunk.nodes):
        if isinstance(node, ast.If) and any(
            isinstance(part, ast.Raise) for part in (*node.body, *node.orelse)
        ):
            yield node


def _packages(graph: Graph, module: Module) -> Iterator[tuple[ast.stmt, str]]:
    """What a module imports of others than the project, and may be missing."""
    for node in _imports(module):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for top in (name.partition(".")[0] for name in names):
            is_everywhere = top in sys.stdlib_module_names and top not in OF_ONE_SYSTEM
            if not is_everywhere and top not in PACKAGES and graph.module(top) is None:
                yield node, top
