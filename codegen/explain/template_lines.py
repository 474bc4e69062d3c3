"""What the lines of the templates depend on: fields of the script's plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..render.template import template_text

_BLOCK = re.compile(r"{%-?\s*(\w+)(.*?)%}")
_PLACE = re.compile(r"{{(.*?)}}")
_FIELD = re.compile(r"\b(\w+)((?:\.\w+)+)(?!\w*\()")
_STRING = re.compile(r'"[^"]*"')

SHORT = {"saving": "checkpoint", "run": "pass"}
"""Names that templates give to parts of the plan."""


@cache
def fields_of(template: str) -> dict[int, tuple[str, ...]]:
    """For each line of a template the fields that put it there, the nearest first."""
    found: dict[int, tuple[str, ...]] = {}
    conditions: list[str] = []
    for number, line in enumerate(template_text(template).split("\n"), 1):
        own = [name for text in _deciding(line.strip()) for name in _fields(template, text)]
        found[number] = tuple(dict.fromkeys([*own, *_within(template, conditions)]))
        for keyword, text in _BLOCK.findall(line):
            if keyword in ("if", "for"):
                conditions.append(text)
            elif keyword in ("elif", "else"):
                conditions[-1] = text  # without a text, what is left out is no reason
            elif keyword in ("endif", "endfor"):
                conditions.pop()
    return found


def _deciding(line: str) -> Iterator[str]:
    """The expressions of a line that put it there; others but complete it."""
    places = _PLACE.findall(line)
    stands_alone = len(places) == 1 and re.fullmatch(r"{{.*}}", line) is not None
    for text in places:
        value, _, condition = text.partition(" if ")
        if not condition or (stands_alone and " else " not in condition):
            yield text
        elif " else " in condition:
            yield value + condition.partition(" else ")[2]


def _within(template: str, conditions: list[str]) -> Iterator[str]:
    for text in reversed(conditions):
        yield from _fields(template, text)


def _fields(template: str, text: str) -> Iterator[str]:
    for owner, path in _FIELD.findall(_STRING.sub("", text)):
        names = path[1:].split(".")
        if owner == "script" and len(names) > 1:
            owner, names = names[0], names[1:]
        if owner == "plan":
            owner = "evaluation" if template == "evaluation" else "validation"
        yield f"{SHORT.get(owner, owner)}.{names[0]}"
