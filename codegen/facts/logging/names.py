"""The names under which a call logs, as far as its code spells them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import libcst as cst

from ..code.usage import LogCall


@dataclass(frozen=True)
class Name:
    """A name, or what is known of its beginning and its end."""

    start: str
    end: str
    is_whole: bool  # the start is all of it

    def may_be(self, other: Name) -> bool:
        """Whether both may be one name."""
        if self.is_whole and other.is_whole:
            return self.start == other.start
        starts = self.start.startswith(other.start) or other.start.startswith(self.start)
        return starts and (self.end.endswith(other.end) or other.end.endswith(self.end))


ANY = Name("", "", False)


def may_log_same(one: LogCall, other: LogCall) -> bool:
    """Whether two calls may log under the same name."""
    return any(first.may_be(second) for first, second in product([*_names(one)], [*_names(other)]))


def _names(call: LogCall) -> Iterator[Name]:
    given = call.arguments[0] if call.arguments else None
    named = next((each.value for each in call.arguments if _is_names(each)), None)
    node = named or (given.value if given and not (given.keyword or given.star) else None)
    if call.function == "log":
        yield _name(node)
    elif isinstance(node, cst.Dict):
        yield from (_name(each.key if isinstance(each, cst.DictElement) else None) for each in node.elements)
    else:
        yield ANY


def _is_names(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value in ("name", "dictionary")


def _name(node: cst.BaseExpression | None) -> Name:
    match node:
        case cst.SimpleString():
            text = str(node.evaluated_value)
            return Name(text, text, True)
        case cst.FormattedString():
            return _around([*node.parts])
        case cst.BinaryOperation(left, cst.Add(), right):
            return Name(_name(left).start, _name(right).end, False)
    return ANY


def _around(parts: list[cst.BaseFormattedStringContent]) -> Name:
    """Of an f-string, what stands before the first braces and behind the last."""
    texts = [each.value if isinstance(each, cst.FormattedStringText) else "" for each in parts]
    return Name(texts[0], texts[-1], False) if texts else ANY
