"""The files that a build reads, found without it."""

from __future__ import annotations

from pathlib import Path

from ...source.source_text import SourceText, decoded, syntax_tree
from .graph import Graph
from .module import entry_roots


def reached_files(path: Path, roots: tuple[Path, ...] = ()) -> frozenset[Path]:
    """The files of all modules of the project's that the entry imports, or that those import, itself included.

    Raises CompileError where one of them cannot be read.
    """
    shown = path.as_posix()
    source = SourceText(shown, decoded(shown, path))
    syntax_tree(shown, source.text)
    graph = entry_graph(source, path, roots)
    return frozenset(module.place.path.resolve() for module in graph.closure(graph.entry))


def entry_graph(source: SourceText, path: Path, roots: tuple[Path, ...]) -> Graph:
    """The graph of the modules that are reached from the entry at `path`."""
    return Graph(entry_roots(path, source.text, roots), source, embeds_all=False)
