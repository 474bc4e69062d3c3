"""Which piece each line of a script was put together from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..compile import Compiled
from ..render.render import render
from ..render.template import MARK
from ..source.definitions import Lowered
from .alignment import line_map

_MARK = re.compile(rf"{MARK}(\w+):(\w+)")
BLOCKS = frozenset({"section", "runtime", "user"})
"""Kinds of marks that hold for what comes after them; others hold for a line of a template, and for those before it."""


@dataclass(frozen=True)
class Piece:
    """A definition of the user's, one of the runtime's, or a section; in a section, the line of a template."""

    kind: str
    name: str
    template: str = ""
    template_line: int = 0


@dataclass(frozen=True)
class Marked:
    """For each line of a script the piece that it belongs to, and the line before black laid it out."""

    pieces: dict[int, Piece]
    raw: tuple[str, ...]  # the lines before that
    raw_line: dict[int, int]

    def lines_of(self, kind: str, name: str) -> list[int]:
        """The script's lines that belong to a piece."""
        return [line for line, piece in self.pieces.items() if (piece.kind, piece.name) == (kind, name)]


def marked(compiled: Compiled, width: int) -> Marked:
    """Put the script together once more, with marks, and follow its lines through black."""
    analysis = compiled.analysis
    lowered = _with_marks(compiled.lowered, analysis.script.has_own_main)
    text = render(analysis.script, lowered, analysis.project, width, marks=True)
    raw = text.split("\n")
    owners = _pieces(raw)
    raw_line = line_map(text, compiled.text)
    pieces = {line: owners[number - 1] for line, number in sorted(raw_line.items())}
    return Marked(pieces, tuple(raw), raw_line)


def _with_marks(lowered: Lowered, has_own_main: bool) -> Lowered:
    """Marked but for a Trainer in the script's own `main`, where its line of the template stands for it."""
    first = len(lowered.definitions)
    every = [
        replace(each, code=f"{MARK}user:{number}\n{each.code}")
        for number, each in enumerate(lowered.all_definitions)
    ]
    marked_main = tuple(every[first:]) if has_own_main else lowered.own_main
    return replace(lowered, definitions=tuple(every[:first]), own_main=marked_main)


def _pieces(raw: list[str]) -> list[Piece]:
    """The piece of each line: marks of blocks reach down, those of templates' lines up to the one before."""
    found: list[Piece] = []
    block, waiting = Piece("section", "docstring"), 0
    for line in raw:
        marks = _MARK.findall(line)
        if marks and marks[0][0] in BLOCKS:
            block, waiting = Piece(*marks[0]), 0
        found.append(block)
        waiting += 1
        if marks and marks[0][0] not in BLOCKS:
            template, number = marks[0]
            piece = replace(block, template=template, template_line=int(number))
            found[len(found) - waiting :] = [piece] * waiting
            waiting = 0
    return found
