"""Code that tries a module's `trainer`, and has an answer where it has none: Lightning's error is another."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ..code.usage import Usage

BOTH = "(AttributeError, RuntimeError)"
"""What an object of the script's has no such attribute by, and what the code expects."""

LINE = m.SimpleStatementLine([m.Assign() | m.Return()])


def answered(index: Index, usage: Usage) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The errors that are caught round nothing but the question, with the code that takes their place."""
    for node in usage.reads.get("trainer", ()):
        tried = index.ancestor(node, cst.Try)
        if node.attr.value == "trainer" and isinstance(tried, cst.Try) and _only_asks(index, tried, node):
            for handler in tried.handlers:
                if handler.type is not None and m.matches(handler.type, m.Name("RuntimeError")):
                    yield handler.type, BOTH


def _only_asks(index: Index, tried: cst.Try, node: cst.Attribute) -> bool:
    """Whether the question is all that is tried."""
    block, statement = tried.body, index.parent(node)
    is_alone = (
        isinstance(block, cst.IndentedBlock) and len(block.body) == 1 and m.matches(block.body[0], LINE)
    )
    return is_alone and isinstance(statement, cst.Assign | cst.Return) and index.holds(block, node)
