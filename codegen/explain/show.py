"""The explanation for a terminal: all parts as a table, or all that is known of one line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

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
        name = Text(part.name, style=STYLES.get(part.kind, "dim"))
        shown.add_row(_range(part), name, str(where or ""), _why(part, where))
    return shown


def _where(part: Part) -> Place | None:
    """What people look for first: lines of their own."""
    if part.kind == "loop":
        return next(iter(part.reason.places), part.origin)
    return part.origin or next(iter(part.reason.places), None)


def _range(part: Part) -> str:
    return str(part.first) if part.first == part.last else f"{part.first}-{part.last}"


def _why(part: Part, shown: Place | None) -> str:
    """The sentence, and the places that do not stand beside it already."""
    places = [str(place) for place in part.reason.places if place != shown]
    more = f", and {len(places) - 3} more" if len(places) > 3 else ""
    return f"{part.reason.sentence} ({', '.join(places[:3])}{more})" if places else part.reason.sentence


def of_line(explanation: Explanation, number: int) -> Iterator[str]:
    """All that is known of a line, as lines of text."""
    lines = explanation.text.split("\n")
    yield f"{explanation.script}:{number}"
    yield f"{number:>5} | {lines[number - 1]}"
    yield ""
    part = explanation.at(number)
    if part is None:
        yield "Nothing: the line only sets parts of the script apart."
        return
    noun = "line" if part.first == part.last else "lines"
    yield f"{noun} {_range(part)}, {KINDS[part.kind]}: {part.name}"
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
