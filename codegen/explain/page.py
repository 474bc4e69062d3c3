"""The explanation as one page for a browser: the user's files and the script side by side, parts linked by colour."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, YamlLexer

from .. import messages
from ..diagnostics import CompileError
from ..source.text_file import replace_file
from .parts import Explanation, Part, Place

KINDS = {
    "yours": "your code, word for word",
    "rewritten": "your code, without Lightning",
    "loop": "the loop, and what starts it",
    "runtime": "ddpgen's runtime",
    "import": "imports",
    "head": "head and foot",
    "edit": "your edits",
    "earlier": "from an earlier build",
}
GOLDEN_ANGLE = 137.5
"""By which each colour is far from those before it."""


@dataclass(frozen=True)
class Linked:
    """Stretches of the user's files, each with a colour, and the parts that they have to do with."""

    explanation: Explanation

    @property
    def stretches(self) -> list[Place]:
        """Those that became code of the script's first, then others that asked for some; no line is in two."""
        found: list[Place] = []
        parts = sorted(self.explanation.parts, key=lambda part: part.kind not in ("yours", "rewritten"))
        for place in (place for part in parts for place in self.places(part)):
            if not any(_overlap(place, each) for each in found):
                found.append(place)
        return found

    def places(self, part: Part) -> list[Place]:
        """What of the user's files a part is linked with."""
        origin = [part.origin] if part.origin else []
        return [place for place in (*origin, *part.reason.places) if place.path in self.explanation.files]

    def colours(self) -> dict[int, int]:
        """For each part, by its number, the stretch that it shares its colour with."""
        stretches, found = self.stretches, {}
        for number, part in enumerate(self.explanation.parts):
            for place in self.places(part)[:1]:
                found[number] = next(i for i, each in enumerate(stretches) if _overlap(place, each))
        return found


def _overlap(one: Place, other: Place) -> bool:
    return one.path == other.path and one.first <= other.last and other.first <= one.last


def page(explanation: Explanation) -> str:
    """The page: one file, without anything from the network."""
    linked = Linked(explanation)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(_resource("page.html.jinja")).render(
        title=explanation.script,
        style=_resource("page.css"),
        code=_resource("page.js"),
        data=json.dumps(_data(linked)).replace("<", "\\u003c"),
        script=_lines(explanation.script, explanation.text),
        files=[(path, _lines(path, text)) for path, text in explanation.files.items()],
    )


def write_page(explanation: Explanation, file: Path) -> None:
    """Write the page to `file`. Raises CompileError where that cannot be."""
    try:
        replace_file(file, page(explanation))
    except OSError as error:
        raise CompileError([messages.not_writable(file.as_posix(), error.strerror or str(error))]) from None


@cache
def _resource(name: str) -> str:
    return resources.files("ddpgen.explain").joinpath(name).read_text("utf-8")


def _data(linked: Linked) -> dict[str, Any]:
    """What the page's own code reads."""
    explanation, colours = linked.explanation, linked.colours()
    hues = [round(number * GOLDEN_ANGLE) % 360 for number in range(len(linked.stretches))]
    parts = [
        {
            "first": part.first,
            "last": part.last,
            "kind": part.kind,
            "name": part.name,
            "origin": str(part.origin) if part.origin else "",
            "why": part.reason.sentence,
            "places": [_place(place) for place in dict.fromkeys(linked.places(part))],
            "hue": hues[colours[number]] if number in colours else None,
        }
        for number, part in enumerate(explanation.parts)
    ]
    stretches = [{**_place(place), "hue": hue} for place, hue in zip(linked.stretches, hues, strict=True)]
    lines = {line: _place(place) for line, place in explanation.lines.items()}
    return {"parts": parts, "stretches": stretches, "lines": lines, "kinds": KINDS}


def _place(place: Place) -> dict[str, Any]:
    return {"path": place.path, "first": place.first, "last": place.last}


def _lines(path: str, text: str) -> list[str]:
    """The text's lines in colours, as HTML."""
    lexer = PythonLexer(stripnl=False) if path.endswith(".py") else YamlLexer(stripnl=False)
    coloured = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return list(_without_last(coloured.split("\n")))


def _without_last(lines: list[str]) -> Iterator[str]:
    """The end of the last line begins no other."""
    yield from lines[:-1] if lines and not lines[-1] else lines
