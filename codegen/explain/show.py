"""The explanation for a terminal: all parts as a table, or all that is known of one line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..code_frame import HARMLESS
from ..ir.files import file_and_line
from .page import KINDS
from .parts import Explanation, Part, Place

STYLES = {
    "yours": "green",
    "rewritten": "green",
    "loop": "blue",
    "runtime": "magenta",
    "edit": "yellow",
    "earlier": "red",
}
FRAME = 8  # lines of the user's that are shown, of a place


def table(explanation: Explanation) -> Table:
    """A row for each part."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title, folds in (("lines", False), ("what", True), ("from", True), ("why", True)):
        shown.add_column(title, no_wrap=not folds, overflow="fold", justify="left")
    for part in explanation.parts:
        where = _where(part)
        name = Text(part.name.translate(HARMLESS), style=STYLES.get(part.kind, "dim"))
        cells = _lines(explanation, part), name, str(where or ""), _why(part, where)
        shown.add_row(*(each.translate(HARMLESS) if isinstance(each, str) else each for each in cells))
    return shown


def _where(part: Part) -> Place | None:
    """What people look for first: lines of their own."""
    if part.kind == "loop":
        return next(iter(part.reason.places), part.origin)
    return part.origin or next(iter(part.reason.places), None)


def _lines(explanation: Explanation, part: Part) -> str:
    """The part's lines; of the module beside the script, with its name."""
    script = Path(explanation.script)
    file, first = file_and_line(script, explanation.text, part.first)
    last = first + part.last - part.first
    lines = str(first) if first == last else f"{first}-{last}"
    return lines if file == script else f"{file.name}:{lines}"


def _why(part: Part, shown: Place | None) -> str:
    """The sentence, and the places that do not stand beside it already."""
    places = [str(place) for place in part.reason.places if place != shown]
    more = f", and {len(places) - 3} more" if len(places) > 3 else ""
    return f"{part.reason.sentence} ({', '.join(places[:3])}{more})" if places else part.reason.sentence


def of_line(explanation: Explanation, number: int) -> Iterator[str]:
    """All that is known of a line, as lines of text."""
    lines = explanation.text.split("\n")
    file, line = file_and_line(Path(explanation.script), explanation.text, number)
    yield f"{file.as_posix()}:{line}"
    yield f"{line:>5} | {lines[number - 1]}"
    yield ""
    part = explanation.at(number)
    if part is None:
        yield "Nothing: the line only sets parts of the script apart."
        return
    noun = "line" if part.first == part.last else "lines"
    yield f"{noun} {_lines(explanation, part)}, {KINDS[part.kind]}: {part.name}"
    yield part.reason.sentence
    exact = explanation.lines.get(number)
    places = [*([exact] if exact else []), *([part.origin] if part.origin else []), *part.reason.places]
    for place in dict.fromkeys(places):
        yield ""
        yield str(place)
        yield from _frame(explanation, place)


def _frame(explanation: Explanation, place: Place) -> Iterator[str]:
    text = explanation.files.get(place.path)
    if text is None:
        return
    lines = text.split("\n")[place.first - 1 : place.last]
    for number, line in enumerate(lines[:FRAME], place.first):
        yield f"{number:>5} | {line}"
    if len(lines) > FRAME:
        yield "      | ..."
