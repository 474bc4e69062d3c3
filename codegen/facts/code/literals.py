"""Plain values written in code."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from ...index.search import code_for


def code_of(node: cst.CSTNode) -> str:
    """The code of an expression, on one line where it can be."""
    return code_for(node).strip()


def literal(node: cst.BaseExpression) -> Any:
    """The value of a literal: a number, a string, a flag, None, or a collection of these.

    Raises ValueError where the expression is none.
    """
    try:
        return ast.literal_eval(code_of(node))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("no literal") from None


def is_literal(node: cst.BaseExpression) -> bool:
    try:
        literal(node)
    except ValueError:
        return False
    return True
