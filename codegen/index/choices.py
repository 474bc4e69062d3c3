"""What code does only where something holds."""

from __future__ import annotations

import libcst as cst

from . import patterns as m
from .index import Index


def is_choice(index: Index, node: cst.CSTNode) -> bool:
    """Whether it depends on something if an expression is run, or what of a table is taken."""
    parent = index.parent(node)
    while parent is not None and not isinstance(parent, cst.FunctionDef | cst.ClassDef):
        is_branch = isinstance(parent, cst.If | cst.IfExp) and parent.test is not node
        if isinstance(parent, cst.DictElement) or (is_branch and not _is_guard(parent)):
            return True
        node, parent = parent, index.parent(parent)
    return False


def _is_guard(node: cst.CSTNode) -> bool:
    return m.matches(node, m.If(test=m.Comparison(left=m.Name("__name__"))))
