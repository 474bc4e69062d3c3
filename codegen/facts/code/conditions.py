"""What code asks of values but whether they are there, or of which class."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...index.scope import Variable
from ...ir.project import Project

NONE = m.Name("None")
IS_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.Is() | m.IsNot() | m.Equal() | m.NotEqual(), NONE)])

ASKED_FOR_KIND = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), None, star=""), m.Arg(keyword=None, star="")])


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


def is_surely_module(project: Project, node: cst.BaseExpression) -> bool:
    """Whether code comes to a use of a variable only where that is a LightningModule."""
    index = project.index
    variable = index.variable(node) if isinstance(node, cst.Name) else None
    above: cst.CSTNode | None = index.ancestor(node, cst.If) if variable else None
    while variable and isinstance(above, cst.If) and index.function_of(above) is index.function_of(node):
        if index.holds(above.body, node) and _asks_for_module(project, above.test, variable):
            return not any(index.holds(above.body, each.node) for each in variable.bindings)
        above = index.ancestor(above, cst.If)
    return False


def _asks_for_module(project: Project, test: cst.BaseExpression, variable: Variable) -> bool:
    if not isinstance(test, cst.Call) or not m.matches(test, ASKED_FOR_KIND):
        return False
    asked, kind = (each.value for each in test.args)
    is_its = isinstance(asked, cst.Name) and project.index.variable(asked) is variable
    return is_its and project.lightning_name(kind) == "LightningModule"
