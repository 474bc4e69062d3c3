"""What code does only where something holds, and what of a function's is surely left aside by a call of it."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from . import patterns as m
from .ending import ends
from .index import Index
from .scope import Binding

Literals = Mapping[Binding, object]
"""What a call gives parameters that are bound to nothing else."""

CONSTANTS = {"True": True, "False": False, "None": None}
OTHER = object()
"""In the place of what is no literal."""


def is_choice(index: Index, node: cst.CSTNode) -> bool:
    """Whether it depends on something if an expression is run, or what of a table is taken."""
    parent = index.parent(node)
    while parent is not None and not isinstance(parent, cst.FunctionDef | cst.ClassDef):
        is_branch = isinstance(parent, cst.If | cst.IfExp) and parent.test is not node
        if isinstance(parent, cst.DictElement) or (is_branch and not is_guard(parent)):
            return True
        node, parent = parent, index.parent(parent)
    return False


def is_condition(index: Index, node: cst.CSTNode) -> bool:
    """Whether code but asks if an expression is true, alone or with others."""
    parent = index.parent(node)
    while isinstance(parent, cst.BooleanOperation | cst.UnaryOperation):
        if isinstance(parent, cst.UnaryOperation) and not isinstance(parent.operator, cst.Not):
            return False
        node, parent = parent, index.parent(parent)
    return isinstance(parent, cst.If | cst.IfExp | cst.While | cst.Assert) and parent.test is node


def is_guard(node: cst.CSTNode) -> bool:
    """Whether it is what runs only where a file is the one that is started."""
    return m.matches(node, m.If(test=m.Comparison(left=m.Name("__name__"))))


def literal(node: cst.BaseExpression | None) -> object:
    """The value of a literal; OTHER: it is none."""
    if isinstance(node, cst.SimpleString | cst.Integer):
        return node.evaluated_value
    return CONSTANTS.get(node.value, OTHER) if isinstance(node, cst.Name) else OTHER


class Choosing:
    """Tells what calls leave aside that give literals: with `"test"` for `stage`, `if stage == "train":`."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def tested(self, function: cst.FunctionDef | cst.Lambda) -> frozenset[Binding]:
        """The parameters that branches of a function ask for."""
        tests = (each.test for each in self._index.own(function, cst.If))
        names = (name for test in tests for name in self._index.within(test, cst.Name))
        return frozenset(filter(None, map(self._parameter, names)))

    def is_run(self, node: cst.CSTNode, literals: Literals) -> bool:
        """Whether code of a function may be run by a call that gives it these."""
        parent = self._index.parent(node)
        while literals and parent is not None and not isinstance(parent, cst.FunctionDef | cst.Lambda):
            if isinstance(parent, cst.If) and self._is_left(parent, node, literals):
                return False
            if isinstance(parent, cst.IndentedBlock):
                before = parent.body[: parent.body.index(node)]
                if any(self._leaves(each, literals) for each in before):
                    return False
            node, parent = parent, self._index.parent(parent)
        return True

    def _is_left(self, branch: cst.If, part: cst.CSTNode, literals: Literals) -> bool:
        """Whether a part of a statement is left aside."""
        holds = self._holds(branch.test, literals)
        return (part is branch.body and holds is False) or (part is branch.orelse and holds is True)

    def _leaves(self, node: cst.CSTNode, literals: Literals) -> bool:
        """Whether a statement surely takes a branch that leaves the function."""
        if not isinstance(node, cst.If):
            return False
        holds = self._holds(node.test, literals)
        if holds is None or node.orelse is None:
            return bool(holds) and ends(node.body)
        taken = node.body if holds else node.orelse
        return ends(taken) or self._leaves(taken, literals)

    def _holds(self, test: cst.BaseExpression, literals: Literals) -> bool | None:
        """Whether a condition holds; None: that is not known."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            holds = self._holds(test.expression, literals)
            return None if holds is None else not holds
        if isinstance(test, cst.BooleanOperation):
            decides = isinstance(test.operator, cst.Or)
            parts = [self._holds(each, literals) for each in (test.left, test.right)]
            return decides if decides in parts else None if None in parts else not decides
        if isinstance(test, cst.Comparison):
            return self._compares(test, literals)
        value = self._given(test, literals)
        return None if value is OTHER else bool(value)

    def _compares(self, test: cst.Comparison, literals: Literals) -> bool | None:
        value, target = self._given(test.left, literals), test.comparisons[0]
        if value is OTHER or len(test.comparisons) > 1:
            return None
        if isinstance(target.comparator, cst.Tuple | cst.List | cst.Set):
            among = [literal(each.value) for each in target.comparator.elements]
            is_in = None if OTHER in among else value in among
            operators: tuple[type[cst.BaseCompOp], type[cst.BaseCompOp]] = (cst.In, cst.NotIn)
        else:
            other = literal(target.comparator)
            is_in = None if other is OTHER else value == other
            operators = (cst.Equal, cst.NotEqual)
            if other is None and not isinstance(target.operator, operators):
                operators = (cst.Is, cst.IsNot)
        if is_in is None or not isinstance(target.operator, operators):
            return None
        return is_in == isinstance(target.operator, operators[0])

    def _given(self, node: cst.BaseExpression, literals: Literals) -> object:
        parameter = self._parameter(node)
        return literals.get(parameter, OTHER) if parameter else OTHER

    def _parameter(self, node: cst.CSTNode) -> Binding | None:
        """The parameter that a name is always of."""
        variable = self._index.variable(node) if isinstance(node, cst.Name) else None
        bindings = variable.bindings if variable is not None else []
        is_it = len(bindings) == 1 and isinstance(bindings[0].by, cst.Param) and not bindings[0].by.star
        return bindings[0] if is_it else None
