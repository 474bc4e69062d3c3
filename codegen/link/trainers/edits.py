"""Changes of a module's text, after which each line is still where it was."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """What stands in the place of a stretch: lines from 1, columns in bytes."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""


def over(node: ast.expr | ast.stmt | ast.arg, text: str = "") -> Edit:
    """In the place of a node."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Edit(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)


def behind(node: ast.expr | ast.stmt, text: str) -> Edit:
    """Behind a node."""
    whole = over(node)
    return Edit(whole.end_line, whole.end_column, whole.end_line, whole.end_column, text)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all of them."""
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(edits, reverse=True):
        rest = lines[edit.end_line - 1][edit.end_column :]
        first = lines[edit.line - 1][: edit.column] + edit.text.encode()
        if edit.line == edit.end_line:
            lines[edit.line - 1] = first + rest
        else:
            lines[edit.line - 1] = first
            lines[edit.line : edit.end_line - 1] = [b""] * (edit.end_line - edit.line - 1)
            lines[edit.end_line - 1] = rest
    return b"\n".join(lines).decode()
