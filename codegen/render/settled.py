"""Statements that black leaves alone, told without asking it: they are what Python itself makes of their tree."""

from __future__ import annotations

import ast
import re

import black

STATEMENTS = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr),
    *(ast.Return, ast.Raise, ast.Import, ast.ImportFrom),
)

_NAMES = """
    Name Attribute Call keyword Constant Subscript List Dict alias IfExp BoolOp Compare BinOp
    Add Sub Mult Div FloorDiv Mod expr_context boolop cmpop
    """.split()
PARTS: tuple[type[ast.AST], ...] = tuple(getattr(ast, name) for name in _NAMES)
"""Of them Python and black write all alike, unlike powers, slices, tuples and functions without a name."""

_OTHERWISE = re.compile(r"""[^ -~]|['\\#]|\bu["]""")
"""A line with one of these may be written in several ways."""


def is_settled(line: str, node: ast.stmt, mode: black.Mode) -> bool:
    """Whether black leaves the line alone, which is all of the statement. Not to know is False."""
    return (
        len(line) <= mode.line_length
        and not mode.preview
        and isinstance(node, STATEMENTS)
        and not _OTHERWISE.search(line)
        and all(isinstance(each, PARTS) for each in ast.walk(node) if each is not node)
        and line.lstrip() == ast.unparse(node).replace("'", '"')
    )
