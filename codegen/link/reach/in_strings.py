"""Names within f-strings, of which ast knows the positions from Python 3.12 on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ..modules.scopes import Position

QUOTES = ('"', "'")


@dataclass(frozen=True)
class NameInString:
    """Where a name stands in an f-string, its columns in characters."""

    start: Position
    end: Position
    quote: str  # one that no string round it has; empty: they have both
    is_shown: bool  # as in `f"{name=}"`, which has the code in its text


def names_in_string(lines: list[str], string: ast.JoinedStr, name: str) -> list[NameInString]:
    """Where a name stands as code in an f-string, or in several strings in a row."""
    code, before = _code_of(lines, string)
    wrapper = MetadataWrapper(cst.parse_module(f"({code})\n"), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    found = []
    for node, above in _with_strings(wrapper.module, ()):
        if isinstance(node, cst.Name) and node.value == name:
            place = positions[node]
            assert isinstance(place, CodeRange)
            spots = [
                (each.line, each.column + before * (each.line == 1)) for each in (place.start, place.end)
            ]
            start, end = ((line + string.lineno - 1, column) for line, column in spots)
            found.append(NameInString(start, end, _free_quote(above), _is_shown(above)))
    return found


def _code_of(lines: list[str], string: ast.JoinedStr) -> tuple[str, int]:
    """The code of a string, and by how much the columns of its first line are less behind a parenthesis."""
    assert string.end_lineno is not None
    assert string.end_col_offset is not None
    rows = lines[string.lineno - 1 : string.end_lineno]
    first = len(rows[0].encode()[: string.col_offset].decode())
    rows[-1] = rows[-1].encode()[: string.end_col_offset].decode()
    return "\n".join([rows[0][first:], *rows[1:]]), first - 1


def _with_strings(
    node: cst.CSTNode, above: tuple[cst.CSTNode, ...]
) -> Iterator[tuple[cst.CSTNode, tuple[cst.CSTNode, ...]]]:
    """All nodes, with those parts of f-strings that they stand in."""
    yield node, above
    if isinstance(node, cst.FormattedString | cst.FormattedStringExpression):
        above = (*above, node)
    for child in node.children:
        yield from _with_strings(child, above)


def _free_quote(above: tuple[cst.CSTNode, ...]) -> str:
    taken = "".join(each.quote for each in above if isinstance(each, cst.FormattedString))
    return next((quote for quote in QUOTES if quote not in taken), "")


def _is_shown(above: tuple[cst.CSTNode, ...]) -> bool:
    return any(isinstance(each, cst.FormattedStringExpression) and each.equal for each in above)
