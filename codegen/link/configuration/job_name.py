"""Where a configuration asks hydra for the name of the file that was started, which is the script's then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ... import messages
from ...diagnostics import Diagnostic, Span
from ...source.source_text import decoded
from ..modules.graph import Graph
from ..modules.module import shown_path

NAME = re.compile(r"\$\{hydra[.:]job\.name\}")


def job_named(graph: Graph, files: Iterable[Path]) -> Iterator[Diagnostic]:
    """What the user should know of the first place in each of the files."""
    entry = graph.roots.entry.path
    for file in files:
        shown = shown_path(file, entry, Path(graph.source.path))
        lines = decoded(shown, file).split("\n")
        found = next(
            ((number, each) for number, line in enumerate(lines, 1) if (each := NAME.search(line))), None
        )
        if found:
            number, asked = found
            span = Span(shown, number, asked.start() + 1, number, asked.end() + 1)
            yield messages.job_named((span, lines[number - 1]), entry.stem)
