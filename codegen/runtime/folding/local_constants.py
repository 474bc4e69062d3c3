"""Local variables that have one value throughout: it stands in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

import libcst as cst

from ...index import patterns as m
from ...index.children import children
from ...index.rewriting import rewritten, with_fields
from .constants import Unknown, is_own_attribute, value_of
from .stores import stores
from .tidy import ANNOTATED, ASSIGN, assigned

FUNCTIONS = frozenset({"min", "max"})
"""Of Python's own, those that have other names in the runtime."""


class LocalConstants(cst.CSTTransformer):
    """Puts a local variable's value in its place where it is the variable's only one, and stays what it is."""

    def __init__(self, lasting: Set[str]) -> None:
        self.lasting = lasting  # attributes of `self` that its constructor alone sets

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return False  # no block is in it

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """`x = value; return x` is `return value`."""
        last = updated_node.body[-2:]
        if len(last) < 2 or not m.matches(last[0], ASSIGN | ANNOTATED):
            return updated_node
        name, value = assigned(last[0])
        if not m.matches(last[1], m.SimpleStatementLine(body=[m.Return(value=m.Name(name))])):
            return updated_node
        result = cst.SimpleStatementLine(body=[cst.Return(value=value)])
        return updated_node.with_changes(body=[*updated_node.body[:-2], result])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.BaseStatement:
        while replace := self._replacement(updated_node):
            updated_node = rewritten(updated_node, replace)
        return updated_node

    def _replacement(self, function: cst.FunctionDef) -> _Replace | None:
        """Puts the value of the first variable that needs none in its place."""
        places = Counter(stores(function).names)
        places.update({parameter.name.value for parameter in function.params.params})
        once = {name for name, count in places.items() if count == 1}
        for statement in _assigning(function.body):
            assign = cst.ensure_type(statement.body[0], cst.Assign)
            target, value = assign.targets[0].target, assign.value
            if isinstance(target, cst.Name) and target.value in once and self._lasts(value, once):
                return _Replace(statement, target.value, value)
        return None

    def _lasts(self, value: cst.BaseExpression, once: set[str]) -> bool:
        """Whether the expression is a constant, or another name for what does not change."""
        if isinstance(value, cst.Dict):
            return False
        if isinstance(value, cst.Name) and value.value not in ("None", "True", "False"):
            return value.value in once or value.value in FUNCTIONS
        try:
            value_of(value)
        except Unknown:
            return is_own_attribute(value, self.lasting)
        return True


def _assigning(node: cst.CSTNode) -> Iterator[cst.SimpleStatementLine]:
    """The assignments in a block and in those within it."""
    for child in children(node):
        if isinstance(child, cst.SimpleStatementLine):
            if len(child.body) == 1 and isinstance(child.body[0], cst.Assign):
                yield child
        elif isinstance(child, cst.BaseCompoundStatement | cst.BaseSuite | cst.Else):
            yield from _assigning(child)


def lasting_attributes(node: cst.ClassDef) -> set[str]:
    """The attributes of `self` that the class's constructor alone sets."""
    places: dict[str, set[str]] = {}
    for method in node.body.body:
        for name in stores(method).attributes:
            places.setdefault(name, set()).add(_name(method))
    return {name for name, methods in places.items() if methods == {"__init__"}} - {
        *map(_name, node.body.body)
    }


def _name(member: cst.CSTNode) -> str:
    return member.name.value if isinstance(member, cst.FunctionDef) else ""


class _Replace(cst.CSTTransformer):
    """Puts a variable's value in its place, and takes away the statement that gives it."""

    def __init__(self, statement: cst.SimpleStatementLine, name: str, value: cst.BaseExpression) -> None:
        self.statement, self.name, self.value = statement, name, value

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node is self.statement else updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_fields(updated_node, keyword=original_node.keyword)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return with_fields(updated_node, attr=original_node.attr)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.value.deep_clone() if updated_node.value == self.name else updated_node
