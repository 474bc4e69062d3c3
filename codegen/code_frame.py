"""A line of source with a place in it marked, cut to the width of the terminal that it is shown on."""

from __future__ import annotations

from rich.cells import cell_len

TAB = 8
"""Tabs stop after so many cells; the gutter is as wide, so that they do behind it too."""

CUT = "…"
"""Stands where a line goes on."""

NARROWEST = 20


_CONTROLS = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}
_TURNING = (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
HARMLESS = _CONTROLS | dict.fromkeys(_TURNING, 0xFFFD)
"""What stands for characters that command a terminal, or turn the direction of what is read on it."""


def code_frame(line: str, number: int, start: int, end: int, width: int | None = None) -> str:
    """The line behind its number, and marks below its characters from `start` to `end`.

    `width` is the terminal's; without one, the line is whole.
    """
    gutter = f"{number:>5} | "
    cells, begins = _cells(line)
    first, last = begins[min(start, len(line))], begins[min(end, len(line))]
    room = max(width - len(gutter), NARROWEST) if width else len(cells)
    if len(cells) > room:
        text, indent, last = _cut([*cells, " "], first, last, room)
    else:
        # tabs stay tabs, so that the marks stand below their place however wide these are
        indent = "".join("\t" if char == "\t" else " " * cell_len(char) for char in line[:start])
        text = line
    return f"{gutter}{text}\n{' ' * len(gutter)}{indent}{'^' * max(last - first, 1)}"


def _cells(line: str) -> tuple[list[str], list[int]]:
    """What stands in each cell of a terminal, and the cell that each character begins in."""
    cells, begins = list[str](), list[int]()
    for char in line:
        begins.append(len(cells))
        if char == "\t":
            cells += [" "] * (TAB - len(cells) % TAB)
        elif wide := cell_len(char):
            cells += [char, *[""] * (wide - 1)]
        elif cells:  # it is drawn over what it follows, be that two cells wide
            cells[-1 if cells[-1] else -2] += char
    return cells, [*begins, len(cells)]


def _cut(cells: list[str], first: int, last: int, room: int) -> tuple[str, str, int]:
    """The cells round those from `first` to `last`, the blanks before these, and where they end at the latest."""
    marked = min(max(last - first, 1), room - 2)
    begin = min(first - max((room - marked) // 2, 1), len(cells) - room)
    begin = max(begin, 0)
    stop = begin + room
    inner = slice(begin + (begin > 0), stop - (stop < len(cells)))
    shown = cells[inner]
    if shown[0] == "":  # the second half of a wide character
        shown[0] = " "
    if cells[inner.stop : inner.stop + 1] == [""]:
        shown[-1] = " "
    text = CUT * (begin > 0) + "".join(shown)
    text = text + CUT if stop < len(cells) else text.rstrip()
    return text, " " * (first - begin), min(last, inner.stop)
