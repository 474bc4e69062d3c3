"""Black, over each statement that holds no others alone: what has been seen once, in any script, is not seen again.

What is left of a text is its skeleton: the lines that open blocks, comments, and a name for statements in a row.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import black

from .settled import is_settled

_PLACED = re.compile(r"^ *(?:import )?_(\d+)\n", re.M)
"""Stands for a row of statements."""


@dataclass(frozen=True)
class Settings:
    """Black's, in a form that can be looked up."""

    key: str
    mode: black.Mode = field(compare=False)


def by_statement(text: str, settings: Settings, known: Container[str] = ()) -> str:
    """The text as black leaves it; statements whose lines are `known` are as they should be."""
    lines = text.split("\n")
    skeleton: list[str] = []
    formatted: list[str] = []
    done = 0
    for row in _rows([each for each in _simple(ast.parse(text)) if _stands_alone(each.node, lines)]):
        skeleton += [*lines[done : row[0].first], _placeholder(row[0].node, len(formatted))]
        formatted.append("".join(_formatted(each, _code(each.node, lines), settings, known) for each in row))
        done = row[-1].end
    left = black.format_str("\n".join([*skeleton, *lines[done:]]), mode=settings.mode)
    return _PLACED.sub(lambda found: formatted[int(found[1])], left)


def _formatted(statement: _Simple, code: str, settings: Settings, known: Container[str]) -> str:
    is_in_place = statement.node.col_offset == 4 * len(statement.indents)
    if code in known or (is_in_place and is_settled(code.removesuffix("\n"), statement.node, settings.mode)):
        return code
    return _by_black(code, statement.indents, settings)


@lru_cache(maxsize=16_384)
def _by_black(statement: str, indents: tuple[int, ...], settings: Settings) -> str:
    """The statement within as many blocks as there are round it."""
    blocks = "".join(f"{' ' * each}if _:\n" for each in indents)
    return black.format_str(blocks + statement, mode=settings.mode).split("\n", len(indents))[-1]


def codes_of_statements(text: str) -> frozenset[str]:
    """The lines of each statement that holds no others."""
    lines = text.split("\n")
    return frozenset(_code(each.node, lines) for each in _simple(ast.parse(text)))


@dataclass(frozen=True)
class _Simple:
    """A statement that holds no others."""

    node: ast.stmt
    indents: tuple[int, ...]  # the columns of the blocks round it

    @property
    def first(self) -> int:
        return self.node.lineno - 1

    @property
    def end(self) -> int:
        return self.node.end_lineno or self.node.lineno

    def follows(self, other: _Simple) -> bool:
        """Whether nothing is between the two, nor would black put anything there."""
        is_import, is_others = (isinstance(each.node, ast.Import | ast.ImportFrom) for each in (self, other))
        return self.first == other.end and self.indents == other.indents and is_import == is_others


def _simple(block: ast.AST, indents: tuple[int, ...] = ()) -> Iterator[_Simple]:
    """Those of a block, in order; it and those round it stand in these columns."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.ExceptHandler):
            yield from _simple(node, indents)
        elif isinstance(node, ast.match_case):
            yield from _simple(node, (*indents, node.pattern.col_offset - len("case ")))
        elif isinstance(node, ast.stmt) and _is_compound(node):
            # an `elif` is an `if` in the column of the one above
            yield from _simple(node, tuple(dict.fromkeys((*indents, node.col_offset))))
        elif isinstance(node, ast.stmt):
            yield _Simple(node, indents)


def _is_compound(node: ast.stmt) -> bool:
    return hasattr(node, "body") or isinstance(node, ast.Match)


def _stands_alone(node: ast.stmt, lines: list[str]) -> bool:
    """Whether its lines hold nothing else; black looks at docstrings, `...` and `pass` when it sets blank lines."""
    if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return False
    before = lines[node.lineno - 1].encode()[: node.col_offset]
    after = lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset :].strip()
    return not before.strip(b" ") and (not after or after.startswith(b"#"))


def _rows(statements: list[_Simple]) -> Iterator[list[_Simple]]:
    """Those that follow each other."""
    row: list[_Simple] = []
    for each in statements:
        if row and not each.follows(row[-1]):
            yield row
            row = []
        row.append(each)
    if row:
        yield row


def _code(node: ast.stmt, lines: list[str]) -> str:
    return "\n".join([*lines[node.lineno - 1 : node.end_lineno], ""])


def _placeholder(node: ast.stmt, number: int) -> str:
    keyword = "import " if isinstance(node, ast.Import | ast.ImportFrom) else ""
    return f"{' ' * node.col_offset}{keyword}_{number}"
