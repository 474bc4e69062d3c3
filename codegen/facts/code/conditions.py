"""What code asks of values but whether they are there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m

NONE = m.Name("None")
IS_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.Is() | m.IsNot() | m.Equal() | m.NotEqual(), NONE)])


def asked_whether_there(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions of which this very node asks no more than that."""
    if isinstance(node, cst.Comparison) and m.matches(node, IS_NONE):
        yield node.left
    elif isinstance(node, cst.If | cst.IfExp | cst.While | cst.Assert):
        yield from _parts(node.test)
    elif isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.And):
        yield from _parts(node.left)
    elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        yield from _parts(node.expression)


def _parts(condition: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The expressions of which a condition is made by `and` and `or`."""
    if isinstance(condition, cst.BooleanOperation):
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    else:
        yield condition
