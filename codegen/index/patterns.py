"""Patterns of syntax: written as libcst's matchers are, of which each kind of node would take a class to be loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import libcst as cst

Saved = dict[str, Any]
"""What was found at the nodes that are to be saved, by name."""


class Pattern:
    """Something that nodes, or values of their fields, match or do not."""

    def __or__(self, other: Pattern) -> OneOf:
        return OneOf(self, other)

    def __invert__(self) -> Pattern:
        return NoneOf(self)

    def found(self, value: Any) -> Saved | None:
        """What is to be saved of a value that matches; None: it does not."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Of(Pattern):
    """A node of a kind, whose fields match."""

    kind: str
    fields: Mapping[str, Any]

    def found(self, value: Any) -> Saved | None:
        if type(value).__name__ != self.kind:
            return None
        saved: Saved = {}
        for name, wanted in self.fields.items():
            part = _found(getattr(value, name), wanted)
            if part is None:
                return None
            saved |= part
        return saved


class OneOf(Pattern):
    """What matches any of some patterns."""

    def __init__(self, *options: Pattern) -> None:
        self.options: list[Pattern] = []
        for option in options:
            self.options += option.options if isinstance(option, OneOf) else [option]

    def found(self, value: Any) -> Saved | None:
        found = (option.found(value) for option in self.options)
        return next((saved for saved in found if saved is not None), None)


@dataclass(frozen=True, eq=False)
class NoneOf(Pattern):
    """What does not match a pattern."""

    pattern: Pattern

    def found(self, value: Any) -> Saved | None:
        return {} if self.pattern.found(value) is None else None


class DoNotCare(Pattern):
    """Anything."""

    def found(self, value: Any) -> Saved | None:
        return {}


@dataclass(frozen=True, eq=False)
class MatchIfTrue(Pattern):
    """What a function says yes to."""

    test: Callable[[Any], bool]

    def found(self, value: Any) -> Saved | None:
        return {} if self.test(value) else None


class MatchRegex(MatchIfTrue):
    """A text that matches a regular expression, all of it."""

    def __init__(self, expression: str) -> None:
        super().__init__(lambda value: re.fullmatch(expression, value) is not None)


@dataclass(frozen=True, eq=False)
class SaveMatchedNode(Pattern):
    """What matches a pattern, which is to be saved under a name."""

    pattern: Pattern
    name: str

    def found(self, value: Any) -> Saved | None:
        saved = self.pattern.found(value)
        return None if saved is None else {**saved, self.name: value}


@dataclass(frozen=True, eq=False)
class Several:
    """A number of values in a row that match a pattern."""

    pattern: Pattern
    least: int
    most: int


def ZeroOrMore(pattern: Pattern | None = None) -> Several:  # named as libcst does
    return Several(pattern or DoNotCare(), 0, 1_000_000)


def ZeroOrOne(pattern: Pattern | None = None) -> Several:
    return Several(pattern or DoNotCare(), 0, 1)


def AtLeastN(pattern: Pattern | None = None, *, n: int) -> Several:
    return Several(pattern or DoNotCare(), n, 1_000_000)


def matches(node: object, pattern: Pattern) -> bool:
    """Whether a node, or what stands in its place, matches."""
    return pattern.found(node) is not None


def extract(node: object, pattern: Pattern) -> Saved | None:
    """What is to be saved of a node that matches; None: it does not."""
    return pattern.found(node)


def _found(value: Any, wanted: Any) -> Saved | None:
    if isinstance(wanted, Pattern):
        return wanted.found(value)
    if isinstance(wanted, list | tuple):
        return _found_in_row(value, wanted)
    return {} if value == wanted else None


def _found_in_row(values: Sequence[Any], wanted: Sequence[Any]) -> Saved | None:
    if not wanted:
        return None if values else {}
    first, rest = wanted[0], wanted[1:]
    if isinstance(first, Several):
        return _found_several(values, first, rest)
    saved = _found(values[0], first) if values else None
    following = None if saved is None else _found_in_row(values[1:], rest)
    return None if saved is None or following is None else saved | following


def _found_several(values: Sequence[Any], several: Several, rest: Sequence[Any]) -> Saved | None:
    saved: Saved = {}
    for count in range(min(several.most, len(values)) + 1):
        following = _found_in_row(values[count:], rest) if count >= several.least else None
        if following is not None:
            return saved | following
        more = several.pattern.found(values[count]) if count < len(values) else None
        if more is None:
            return None
        saved |= more
    return None


def kinds(pattern: Pattern) -> tuple[type[cst.CSTNode], ...]:
    """The kinds of nodes that can match."""
    each = pattern.options if isinstance(pattern, OneOf) else [pattern]
    return tuple(dict.fromkeys(getattr(cst, one.kind) for one in each if isinstance(one, Of)))


def __getattr__(name: str) -> Callable[..., Of]:
    """`Call(func=Name("f"))`: nodes of the kind `cst.Call`."""
    kind = getattr(cst, name, None)
    if not isinstance(kind, type) or not issubclass(kind, cst.CSTNode):
        raise AttributeError(name)
    return _of_kind(kind)


@cache
def _of_kind(kind: type[cst.CSTNode]) -> Callable[..., Of]:
    names = [each.name for each in fields(kind)]

    def of(*positional: Any, **named: Any) -> Of:
        given = dict(zip(names, positional, strict=False)) | named
        assert given.keys() <= set(names), given
        return Of(
            kind.__name__, {name: each for name, each in given.items() if not isinstance(each, DoNotCare)}
        )

    return of
