"""Expressions whose values are known, and what others become by them."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import Any, TypeVar, cast

import libcst as cst

from ...index import patterns as m
from ...index.search import code_for

SPREAD = m.StarredDictElement(m.Dict())

Display = TypeVar("Display", cst.Set, cst.Dict)


class Unknown(Exception):
    """The value of an expression is not known."""


def operand_of(whole: cst.BooleanOperation, part: cst.BaseExpression) -> cst.BaseExpression:
    """The operand, in parentheses where it is such an operation itself, which without may be another one."""
    return in_place_of(whole, part) if isinstance(part, cst.BooleanOperation) else part


def in_place_of(whole: cst.BaseExpression, part: cst.BaseExpression) -> cst.BaseExpression:
    """The part, in the parentheses of what it replaces: it may go over lines."""
    return part.with_changes(lpar=whole.lpar, rpar=whole.rpar) if whole.lpar and not part.lpar else part


def value_of(node: cst.BaseExpression) -> object:
    """The value of a constant expression. Raises Unknown."""
    is_negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    bare = cst.ensure_type(node, cst.UnaryOperation).expression if is_negative else node
    if isinstance(bare, cst.Name | cst.SimpleString | cst.Integer | cst.Float | cst.Tuple | cst.Dict):
        try:
            return cast(object, ast.literal_eval(code_for(node)))
        except (ValueError, SyntaxError):
            raise Unknown from None
    raise Unknown


def constant(value: bool) -> cst.BaseExpression:
    return cst.Name(str(value))


def is_own_attribute(node: cst.CSTNode, names: Container[str]) -> bool:
    """Whether the node is an attribute of `self` with one of the names."""
    is_selfs = (
        isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"
    )
    return is_selfs and cst.ensure_type(node, cst.Attribute).attr.value in names


def negated(node: cst.UnaryOperation) -> cst.BaseExpression:
    """`not x in y` is `x not in y`."""
    compared = node.expression
    if not m.matches(compared, m.Comparison(comparisons=[m.ComparisonTarget(operator=m.In())])):
        return node
    (target,) = cst.ensure_type(compared, cst.Comparison).comparisons
    return compared.with_changes(
        comparisons=[target.with_changes(operator=cst.NotIn())], lpar=node.lpar, rpar=node.rpar
    )


def without_neutral(node: cst.BooleanOperation) -> cst.BooleanOperation:
    """`x or None or y` is `x or y`."""
    left, is_and = node.left, isinstance(node.operator, cst.And)
    if not isinstance(left, cst.BooleanOperation) or isinstance(left.operator, cst.And) is not is_and:
        return node
    try:
        return node.with_changes(left=left.left) if bool(value_of(left.right)) is is_and else node
    except Unknown:
        return node


def decided(orelse: cst.If | cst.Else | None) -> cst.If | cst.Else | None:
    """An `elif` whose condition is known gives way to what it stands for."""
    if not isinstance(orelse, cst.If):
        return orelse
    try:
        return cst.Else(body=orelse.body) if value_of(orelse.test) else orelse.orelse
    except Unknown:
        return orelse


def with_spread(node: cst.Dict) -> cst.Dict:
    """A dict with the elements of a dict that stands in it as `**{...}`."""
    if not any(m.matches(each, SPREAD) for each in node.elements):
        return node
    parts = (
        each.value.elements if isinstance(each.value, cst.Dict) and m.matches(each, SPREAD) else [each]
        for each in node.elements
    )
    apart = (each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for part in parts for each in part)
    return node.with_changes(elements=[*apart])


def with_distinct(node: Display) -> Display:
    """A set or a dict whose elements that have become the same stand there once."""
    codes = {code_for(element).strip(" ,\n"): element for element in node.elements}
    kept: list[Any] = list(codes.values())
    if not kept or (len(kept) == len(node.elements) and kept[-1].comma is cst.MaybeSentinel.DEFAULT):
        return node
    return node.with_changes(elements=[*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def ordered(node: cst.Comparison, left: object, right: object) -> cst.BaseExpression:
    """Whether one constant is below or above the other."""
    if not (isinstance(left, int) and isinstance(right, int)):
        return node
    return constant(left < right if isinstance(node.comparisons[0].operator, cst.LessThan) else left > right)
