"""Puts what is known in its place, and drops what that rules out."""

from __future__ import annotations

from typing import cast

import libcst as cst

from ...index import patterns as m
from ...index.rewriting import with_fields
from ...index.search import code_for
from .constants import (
    Unknown,
    constant,
    decided,
    in_place_of,
    is_own_attribute,
    negated,
    operand_of,
    ordered,
    value_of,
    with_distinct,
    with_spread,
    without_neutral,
)
from .known import Known
from .stores import stores

TEXT = m.SimpleString()
TRUTH_OF_CONSTANT = m.Call(m.Name("bool"), args=[m.Arg(m.Name("True") | m.Name("False"))])
SHOWN_CONSTANT = TEXT | m.Integer() | m.Name("None")
TWO_TEXTS = m.BinaryOperation(TEXT, m.Add(), TEXT)
EQUALS_TEXT = m.ComparisonTarget(m.Equal() | m.NotEqual(), m.SimpleString())


class Decider(cst.CSTTransformer):
    def __init__(self, known: Known) -> None:
        self.known = known
        self.changing: list[set[str]] = []  # names that the functions round a node assign
        self.elifs: set[cst.CSTNode] = set()

    # ---- what is known -----------------------------------------------------------------------------------

    def _is_known(self, name: str) -> bool:
        return name in self.known.parameters and not any(name in names for names in self.changing)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.changing.append(set(stores(node).names))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.changing.pop()
        return with_fields(updated_node, name=original_node.name)  # a member may be called as a parameter is

    def leave_Parameters(self, original_node: cst.Parameters, updated_node: cst.Parameters) -> cst.Parameters:
        params = [param for param in updated_node.params if not self._is_known(param.name.value)]
        by_name = [param for param in updated_node.kwonly_params if not self._is_known(param.name.value)]
        star = updated_node.star_arg
        is_known = isinstance(star, cst.Param) and f"*{star.name.value}" in self.known.parameters
        if is_known or (isinstance(star, cst.ParamStar) and not by_name):
            updated_node = updated_node.with_changes(star_arg=cst.MaybeSentinel.DEFAULT)
        options = updated_node.star_kwarg
        if options and f"**{options.name.value}" in self.known.parameters:
            updated_node = updated_node.with_changes(star_kwarg=None)
        if len(params) < len(updated_node.params) and params:
            # without a comma at the end, black puts the signature on one line where it fits
            params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        are_fewer = len(params) < len(updated_node.params) or len(by_name) < len(updated_node.kwonly_params)
        return updated_node.with_changes(params=params, kwonly_params=by_name) if are_fewer else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if not self._is_known(updated_node.value):
            return updated_node
        return cst.parse_expression(self.known.parameters[updated_node.value])

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return with_fields(updated_node, name=original_node.name)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg | cst.RemovalSentinel:
        value = original_node.value
        if (
            original_node.star == "*"
            and isinstance(value, cst.Name)
            and f"*{value.value}" in self.known.parameters
        ):
            return cst.RemoveFromParent()
        if original_node.star == "**" and m.matches(updated_node.value, m.Dict(elements=[])):
            return cst.RemoveFromParent()
        if original_node.keyword and self._is_default(original_node.keyword.value, updated_node.value):
            return cst.RemoveFromParent()
        return with_fields(updated_node, keyword=original_node.keyword)

    def _is_default(self, keyword: str, value: cst.BaseExpression) -> bool:
        """Whether an argument has become the only value that its parameter is ever given."""
        return self.known.parameters.get(f"{keyword}=") == code_for(value)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        name = original_node.attr.value
        if is_own_attribute(original_node, self.known.attributes):
            return cst.parse_expression(self.known.attributes[name])
        owner = original_node.value
        told = self.known.told.get(f"{owner.value}.{name}") if isinstance(owner, cst.Name) else None
        if told is not None:
            return cst.parse_expression(told)
        return with_fields(updated_node, attr=original_node.attr)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return not self._changes_known(node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if self._changes_known(original_node):
            return cst.RemoveFromParent()
        part = updated_node.body[0]
        if isinstance(part, cst.AnnAssign) and is_own_attribute(part.target, self.known.present):
            return self._with_first_value(cst.ensure_type(part.target, cst.Attribute).attr.value)
        return updated_node

    def _with_first_value(self, name: str) -> cst.SimpleStatementLine:
        """In place of an attribute's declaration as None."""
        statement = cst.parse_statement(f"self.{name} = {self.known.present[name]}")
        return cst.ensure_type(statement, cst.SimpleStatementLine)

    def _changes_known(self, node: cst.SimpleStatementLine) -> bool:
        """Whether the statement sets an attribute that is known, or calls a method of it."""
        part = node.body[0]
        changed: cst.CSTNode = part
        if isinstance(part, cst.Assign) and len(part.targets) == 1:
            target = part.targets[0].target
            changed = target.value if isinstance(target, cst.Subscript) else target
        elif isinstance(part, cst.AnnAssign):
            changed = part.target
        elif isinstance(part, cst.Expr) and isinstance(part.value, cst.Call):
            function = part.value.func
            changed = function.value if isinstance(function, cst.Attribute) else function
        return len(node.body) == 1 and is_own_attribute(changed, self.known.attributes)

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.RemovalSentinel:
        if not updated_node.body.body:
            return cst.RemoveFromParent()
        source = updated_node.iter
        if isinstance(source, cst.Call) and isinstance(source.func, cst.Attribute):
            source = source.func.value  # of `x.values()`
        try:
            return updated_node if value_of(source) else cst.RemoveFromParent()
        except Unknown:
            return updated_node

    def leave_Set(self, original_node: cst.Set, updated_node: cst.Set) -> cst.Set:
        return with_distinct(updated_node)

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:
        return with_distinct(with_spread(updated_node))

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        """Without values it is a plain text."""
        parts = [part.value for part in updated_node.parts if isinstance(part, cst.FormattedStringText)]
        if len(parts) < len(updated_node.parts):
            return updated_node
        text = "".join(parts).replace("{{", "{").replace("}}", "}")
        return cst.SimpleString(updated_node.start.replace("f", "") + text + updated_node.end)

    def leave_FormattedStringExpression(
        self, original_node: cst.FormattedStringExpression, updated_node: cst.FormattedStringExpression
    ) -> cst.FormattedStringExpression | cst.FormattedStringText:
        """A text in the place of what has its value."""
        value = updated_node.expression
        if not m.matches(value, SHOWN_CONSTANT):
            return updated_node
        text = str(value_of(value))
        if updated_node.conversion == "r":
            text = repr(value_of(value))
        if updated_node.format_spec or set(text) & set('{}"\\\n'):
            single = cst.parse_expression(repr(value_of(value)))  # whose quotes are not the text's own
            return updated_node.with_changes(expression=single)
        return cst.FormattedStringText(text)

    # ---- what follows ------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        function = updated_node.func
        if updated_node.args and len(updated_node.args) < len(original_node.args):
            *others, last = updated_node.args
            last = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            updated_node = updated_node.with_changes(args=[*others, last])
        if isinstance(function, cst.Name) and function.value == "isinstance":
            kind = updated_node.args[1].value
            if isinstance(kind, cst.Name) and kind.value in self.known.types:
                return constant(False)
        is_own = isinstance(function, cst.Attribute) and is_own_attribute(function, self.known.results)
        named = cst.ensure_type(function, cst.Attribute).attr if is_own else function
        if isinstance(named, cst.Name) and named.value in self.known.results:
            return cst.parse_expression(self.known.results[named.value])
        if m.matches(updated_node, TRUTH_OF_CONSTANT):
            return updated_node.args[0].value
        return updated_node

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        if len(updated_node.comparisons) != 1:
            return updated_node
        target = updated_node.comparisons[0]
        if is_own_attribute(updated_node.left, self.known.present) and m.matches(
            target.comparator, m.Name("None")
        ):
            return constant(isinstance(target.operator, cst.IsNot))
        if is_own_attribute(updated_node.left, self.known.flags) and m.matches(target, EQUALS_TEXT):
            return constant(isinstance(target.operator, cst.NotEqual))
        try:
            if isinstance(target.operator, cst.In | cst.NotIn) and not value_of(target.comparator):
                return constant(isinstance(target.operator, cst.NotIn))
            left, right = value_of(updated_node.left), value_of(target.comparator)
            if isinstance(target.operator, cst.In | cst.NotIn) and isinstance(right, tuple | dict):
                return constant((left in right) is isinstance(target.operator, cst.In))
        except (Unknown, TypeError):
            return updated_node
        if isinstance(target.operator, cst.Is | cst.Equal):
            return constant(left == right)
        if isinstance(target.operator, cst.IsNot | cst.NotEqual):
            return constant(left != right)
        if isinstance(target.operator, cst.LessThan | cst.GreaterThan):
            return ordered(updated_node, left, right)
        return updated_node

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        """`"a" + "b"` is `"ab"`."""
        if not m.matches(updated_node, TWO_TEXTS):
            return updated_node
        text = f"{value_of(updated_node.left)}{value_of(updated_node.right)}"
        return cst.parse_expression(f'"{text}"') if set(text).isdisjoint('"\\') else updated_node

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        if not isinstance(updated_node.operator, cst.Not):
            return updated_node
        try:
            return constant(not value_of(updated_node.expression))
        except Unknown:
            return negated(updated_node)

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        updated_node = without_neutral(updated_node)
        left, right = updated_node.left, updated_node.right
        is_and = isinstance(updated_node.operator, cst.And)
        stands_in = m.matches(right, m.Integer() | m.SimpleString())
        if is_own_attribute(left, self.known.present) and stands_in and not is_and:
            return left  # `x or 1`, where None is what 1 stands in for
        try:
            return operand_of(updated_node, right if bool(value_of(left)) is is_and else left)
        except Unknown:
            pass
        try:  # where only its truth counts, as it does in the runtime, `x and True` is x and `x and False` is False
            if value_of(right) is is_and:
                return operand_of(updated_node, left)
            return right if isinstance(value_of(right), bool) else updated_node
        except Unknown:
            return updated_node

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        try:
            chosen = updated_node.body if value_of(updated_node.test) else updated_node.orelse
        except Unknown:
            return updated_node
        needs_none = isinstance(chosen, cst.Name | cst.Attribute | cst.Call)
        return chosen if needs_none else in_place_of(updated_node, chosen)

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            self.elifs.add(node.orelse)

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        updated_node = with_fields(updated_node, orelse=decided(updated_node.orelse))
        if original_node in self.elifs:
            return updated_node  # decided by the `if` that it belongs to
        if not (updated_node.body.body or updated_node.orelse):
            return cst.RemoveFromParent()
        try:
            chosen = updated_node.body if value_of(updated_node.test) else updated_node.orelse
        except Unknown:
            return updated_node
        if chosen is None or isinstance(chosen, cst.If):
            return chosen or cst.RemoveFromParent()
        suite = chosen.body if isinstance(chosen, cst.Else) else chosen
        if isinstance(suite, cst.IndentedBlock):
            return cst.FlattenSentinel(cast("list[cst.BaseStatement]", list(suite.body)))
        return updated_node
