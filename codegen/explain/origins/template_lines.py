"""What the lines of the templates depend on: decisions of features."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ...features import FEATURES
from ...render.template import template_paths, template_text

_BLOCK = re.compile(r"{%-?\s*(\w+)(.*?)%}")
_PLACE = re.compile(r"{{(.*?)}}")
_FIELD = re.compile(rf"\b(?:(\w+)((?:\.\w+)+)|({'|'.join(each.name for each in FEATURES)})\b(?!\())")
_HOOK = re.compile(r'\b(?:\w+_)?hook\("(\w+)"')
_ASKED = re.compile(r'"(\w+)" in asked')
_SECTION = re.compile(r'\b(?:section|expression)\("(\w+)"')
_STRING = re.compile(r"""'[^']*'|"[^"]*\"""")


@cache
def fields_of(template: str) -> dict[int, tuple[str, ...]]:
    """For each line of a template the fields that put it there, the nearest first."""
    found: dict[int, tuple[str, ...]] = {}
    conditions: list[str] = []
    for number, line in enumerate(template_text(template).split("\n"), 1):
        blocks = _BLOCK.findall(line)
        conditions += [text for keyword, text in blocks if keyword == "filter"]
        own = [name for text in _deciding(line.strip()) for name in _fields(text)]
        found[number] = tuple(dict.fromkeys([*own, *_within(conditions)]))
        for keyword, text in blocks:
            if keyword in ("if", "for"):
                conditions.append(text)
            elif keyword in ("elif", "else"):
                conditions[-1] = text  # without a text, what is left out is no reason
            elif keyword in ("endif", "endfor", "endfilter"):
                conditions.pop()
    return found


@cache
def callers() -> dict[str, str]:
    """For each template one that puts it in."""
    features = [each.name for each in FEATURES if each.name in template_paths()]
    names = sorted(template_paths(), key=lambda name: name in features)
    return {inner: name for name in names for inner in _SECTION.findall(template_text(name)) if inner != name}


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


def _within(conditions: list[str]) -> Iterator[str]:
    for text in reversed(conditions):
        yield from _fields(text)


def _fields(text: str) -> Iterator[str]:
    """Hooks first, which say most; then what the trainer is asked for, then decisions."""
    yield from (f"hooks.{name}" for name in _HOOK.findall(text))
    yield from (f"asked.{name}" for name in _ASKED.findall(text))
    for owner, path, feature in _FIELD.findall(_STRING.sub("", text)):
        yield feature or f"{owner}.{path[1:].partition('.')[0]}"
