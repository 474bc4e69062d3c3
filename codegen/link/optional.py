"""Modules that may never be imported, and then must not be: what they import may be missing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from ..lightning_api import PACKAGES
from .graph import Graph
from .module import Module
from .reach import Reach

OF_ONE_SYSTEM = frozenset("""
    _winapi curses fcntl grp msvcrt nt posix pty pwd readline resource syslog termios tty winreg winsound
    """.split())
"""Modules of Python's own that not every system has."""


def optional_modules(reach: Reach) -> Iterator[tuple[Module, ast.stmt, str]]:
    """Modules that would become part of the script, and are imported in branches and functions alone.

    As far as they import a package that no module imports that surely is run, or raise; with the place, and why.
    """
    graph = reach.graph
    sure = set(graph.run_by(graph.entry))
    known = {package for module in sure for _, package in _packages(graph, module)}
    for module in dict.fromkeys(module for module, _ in reach.chunks):
        if module in sure:
            continue
        foreign = [(node, name) for node, name in _packages(graph, module) if name not in known]
        found = [(node, f"imports `{name}`, which may be missing") for node, name in foreign]
        found += [(node, "may refuse to be imported") for node in _raises(module)]
        if found:
            yield module, *found[0]


def _raises(module: Module) -> Iterator[ast.stmt]:
    """The statements that may raise when the module is run."""
    for node in (node for chunk in module.chunks for node in chunk.nodes):
        if isinstance(node, ast.If) and any(isinstance(part, ast.Raise) for part in node.body):
            yield node


def _packages(graph: Graph, module: Module) -> Iterator[tuple[ast.stmt, str]]:
    """What a module imports of others than the project, and may be missing."""
    for node in (node for chunk in module.chunks if chunk.is_import for node in chunk.nodes):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        for top in (name.partition(".")[0] for name in names):
            is_everywhere = top in sys.stdlib_module_names and top not in OF_ONE_SYSTEM
            if not is_everywhere and top not in PACKAGES and graph.module(top) is None:
                yield node, top
