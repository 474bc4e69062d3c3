"""Statements on the line of what holds them, as in `if fast: epochs = 1`, are given lines of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from .source import Source
from .source_text import Line, syntax_tree

MAY_HOLD = re.compile(r":[^\S\n]*[^\s#]")


def in_blocks(source: Source) -> Source:
    """The same code, in which every compound statement holds a block: all else reads one form of it."""
    starts = sorted(_starts(source), reverse=True) if MAY_HOLD.search(source.text) else []
    if not starts:
        return source
    numbered = enumerate(source.lines, 1)
    lines = list(source.joined_lines) or [Line(source.path, number, text) for number, text in numbered]
    for number, column in starts:
        line = lines[number - 1]
        above, below = line.text[:column].rstrip(), " " * column + line.text[column:]
        lines[number - 1 : number] = [replace(line, text=above), replace(line, text=below)]
    return Source.joined(source.path, lines, source.files or {source.path: source.lines})


def _starts(source: Source) -> Iterator[tuple[int, int]]:
    """Where the first statement stands, line and column, of each block that begins in the middle of a line."""
    for node in ast.walk(syntax_tree(source.path, source.text)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                first: ast.stmt = block[0]
                line = source.lines[first.lineno - 1]
                column = len(line.encode()[: first.col_offset].decode())
                if line[:column].strip():
                    yield first.lineno, column
