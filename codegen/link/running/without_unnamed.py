"""The texts of installed packages' modules without the methods of their models that nothing names."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from ..modules.graph import Graph
from .unnamed_methods import Method, Part, UnnamedMethods, lines_of

STUB = """{margin}def {name}(self, *args, **kwargs): raise NotImplementedError({text!r})"""
TEXT = "`{name}` is not in this script: nothing in it called that by its name"
"""What is left of a method that may be asked for by a name which is known only when the code runs."""


def without_unnamed(graph: Graph) -> tuple[dict[Path, str], list[str]]:
    """These texts, and what the methods are called; all other lines are where they were."""
    search = UnnamedMethods(graph)
    parts = search.found()
    methods = [each.method for each in parts if each.method]
    texts, left = dict[Path, list[str]](), list[str]()
    for part in parts:
        assert part.method is not None
        lines = texts.setdefault(part.module.place.path.resolve(), [*part.module.lines])
        _leave_out(lines, part, part.method, methods, search.asked.may_name(part.method.name))
        left += [f"{name}.{part.method.name}" for name in part.chunk.names]
    return {path: "\n".join(lines) for path, lines in texts.items()}, left


def _leave_out(
    lines: list[str], part: Part, method: Method, others: Collection[Method], stays_known: bool
) -> None:
    """Blank a method's lines, and those of comments above it."""
    first, text = lines_of(method)[0], lines[method.lineno - 1]
    margin = text[: len(text) - len(text.lstrip())]
    for number in (*_comments_above(lines, first, margin), *lines_of(method)):
        lines[number - 1] = ""
    if stays_known:
        text = TEXT.format(name=method.name)
        lines[first - 1] = STUB.format(margin=margin, name=method.name, text=text)
    elif _is_first_of_all(part, method, others):
        lines[first - 1] = f"{margin}pass"


def _is_first_of_all(part: Part, method: Method, others: Collection[Method]) -> bool:
    """Whether a class would have nothing left, and the method is what stands first in it."""
    body = next(each.body for each in part.chunk.nodes if isinstance(each, ast.ClassDef))
    return body[0] is method and all(each in others for each in body)


def _comments_above(lines: list[str], first: int, margin: str) -> Iterator[int]:
    number = first - 1
    while number > 0 and lines[number - 1].startswith(f"{margin}#"):
        yield number
        number -= 1
