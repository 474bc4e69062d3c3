"""Names of Python's own that a library's star import, which the script keeps, would give another meaning elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...source.names import OF_STARS
from ..modules.graph import Graph
from ..modules.module import Module
from ..reach.reach import Reach


def restarred(reach: Reach) -> Iterator[Diagnostic]:
    """What the modules, which become one, would mean otherwise than each by itself."""
    kept = {module: _of_kept_stars(reach.graph, module) for module, _ in reach.chunks}
    for module, chunk in reach.chunks if any(kept.values()) else ():
        others = {name: library for each in kept.values() for name, library in each.items()}
        for use in (use for uses in chunk.uses for use in uses.names):
            is_others = use.name in others.keys() - kept[module].keys()
            if is_others and reach.graph.seen(module, chunk, use) is None:
                yield messages.restarred(module.place_of_use(use), use.name, others[use.name])


def _of_kept_stars(graph: Graph, module: Module) -> dict[str, str]:
    """Such names, and the libraries that have them."""
    kept = graph.library_stars(module) if graph.keeps_stars(module) else []
    return {name: library for library in kept for name in OF_STARS.get(library, ())}
