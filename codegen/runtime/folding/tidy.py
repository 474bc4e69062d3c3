"""What deciding leaves behind, put as one would write it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from typing import cast

import libcst as cst

from ...index import patterns as m
from ...index.rewriting import rewritten
from ...index.search import ast_nodes, code_for, findall

Statements = list[cst.BaseStatement]
Test = Callable[[cst.BaseExpression], bool]
ASSIGN = m.SimpleStatementLine(body=[m.Assign(targets=[m.AssignTarget(m.Name())])])
ANNOTATED = m.SimpleStatementLine(body=[m.AnnAssign(target=m.Name(), value=m.DoNotCare())])
DIFFERS = m.Comparison(comparisons=[m.ComparisonTarget(m.NotEqual())])
PLAIN_ASSIGN = m.SimpleStatementLine(body=[m.Assign()])
END = m.SimpleStatementLine(body=[m.Return() | m.Raise()])
IDLE_END = m.SimpleStatementLine(body=[m.Return(value=None)])
INIT = m.FunctionDef(name=m.Name("__init__"))
OF_SELF = m.Attribute(value=m.Name("self"))
TRUTH = m.Call(m.Name("bool"), args=[m.Arg()])
UPDATE_WITH_ONE = m.Call(
    func=m.Attribute(attr=m.Name("update")), args=[m.Arg(value=m.Set(elements=[m.Element()]))]
)
DOES_SOMETHING = m.Call() | m.Await() | m.Yield() | m.NamedExpr() | m.BaseComp() | m.Subscript()


def tidied(function: cst.FunctionDef, flags: Set[str]) -> cst.FunctionDef:
    """The function without repetitions; `flags` are attributes of `self` that are True or False throughout."""
    names = _Names(function)

    def stays(test: cst.BaseExpression) -> bool:
        """Whether a condition is the same wherever it stands."""
        if isinstance(test, cst.Name):
            return test.value in names.flags and names.stores[test.value] == 1
        is_own = m.matches(test, OF_SELF)
        return is_own and cst.ensure_type(test, cst.Attribute).attr.value in flags

    return rewritten(function, _Tidier(names, stays))


def flags_of(node: cst.ClassDef) -> set[str]:
    """The attributes of `self` that the constructor gives the value of an argument that is a `bool`."""
    init = [each for each in node.body.body if m.matches(each, INIT)]
    text = ast.unparse(ast.parse(code_for(init[0]))) if init else ""
    return {
        name for name, given in re.findall(r"self\.(\w+) = (\w+)$", text, re.M) if f"{given}: bool" in text
    }


class _Names:
    """How often a function reads its variables, and sets them."""

    def __init__(self, function: cst.FunctionDef) -> None:
        nodes = ast_nodes(function)
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self.stores = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
        self.stores.update(node.arg for node in nodes if isinstance(node, ast.arg))
        self.reads = Counter(name.id for name in names if not isinstance(name.ctx, ast.Store))
        tests = (node.test for node in nodes if isinstance(node, ast.If))
        self.tests = Counter(test.id for test in tests if isinstance(test, ast.Name))
        self.flags = {name for node in nodes for name in _flags(node)}


def _flags(node: ast.AST) -> Iterator[str]:
    """Names of what is true or false, as its value or its annotation shows."""
    if isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation) == "bool":
        yield node.arg
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BoolOp | ast.Compare):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


class _Tidier(cst.CSTTransformer):
    def __init__(self, names: _Names, stays: Test) -> None:
        self.names, self.stays = names, stays
        self.opposites: dict[str, cst.BaseExpression] = {}  # variables that say what another does not

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        if m.matches(node, ASSIGN):
            target, value = assigned(node)
            if self._is_opposite(target, value):
                self.opposites[target] = value

    def _is_opposite(self, name: str, value: cst.BaseExpression) -> bool:
        """Whether the variable is `not another`, and only there to be tested."""
        names = self.names
        is_test = names.stores[name] == 1 and names.reads[name] == names.tests[name]
        return is_test and m.matches(value, m.UnaryOperation(operator=m.Not())) and self.stays(_bare(value))

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        """`not bool(x != y)` is `x == y`."""
        test = _truth(updated_node.expression)
        if not (m.matches(updated_node, m.UnaryOperation(m.Not())) and m.matches(test, DIFFERS)):
            return updated_node
        target = cst.ensure_type(test, cst.Comparison).comparisons[0].with_changes(operator=cst.Equal())
        return test.with_changes(comparisons=[target], lpar=[], rpar=[])

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        updated_node = updated_node.with_changes(test=_truth(updated_node.test))
        test = updated_node.test
        if isinstance(test, cst.Name) and test.value in self.opposites:
            updated_node = updated_node.with_changes(test=self.opposites[test.value].deep_clone())
        return self._without_the_same_within(updated_node)

    def _without_the_same_within(self, node: cst.If) -> cst.If:
        """`if x: if x: ...` asks once."""
        body = node.body
        if not (self.stays(node.test) and isinstance(body, cst.IndentedBlock)):
            return node
        statements: Statements = []
        for each in cast(Statements, body.body):
            is_same = isinstance(each, cst.If) and each.test.deep_equals(node.test)
            statements += cast(Statements, cst.ensure_type(each, cst.If).body.body) if is_same else [each]
        return node.with_changes(body=body.with_changes(body=statements))

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body = [each for each in cast(Statements, updated_node.body) if not self._is_idle(each)]
        body = self._with_else(_without_repetitions(_up_to_the_end(body)))
        return updated_node.with_changes(body=self._with_tests(body))

    def _is_idle(self, statement: cst.BaseStatement) -> bool:
        """Whether it gives a variable a value that nothing reads."""
        if not m.matches(statement, ASSIGN | ANNOTATED):
            return False
        name, value = assigned(statement)
        if name == "_":
            return False  # asked for because of what that does
        return name in self.opposites or not (self.names.reads[name] or findall(value, DOES_SOMETHING))

    def _with_else(self, body: Statements) -> Statements:
        """`if x: ...` and `if not x: ...` are one statement."""
        joined: Statements = []
        for each in body:
            last = joined[-1] if joined else None
            if isinstance(last, cst.If) and isinstance(each, cst.If) and self._are_opposite(last, each):
                joined[-1] = last.with_changes(orelse=cst.Else(body=each.body))
            else:
                joined.append(each)
        return joined

    def _are_opposite(self, one: cst.If, other: cst.If) -> bool:
        if one.orelse or other.orelse or not self.stays(one.test) or _leaves(one.body):
            return False
        negated = m.matches(other.test, m.UnaryOperation(operator=m.Not()))
        return negated and _bare(other.test).deep_equals(one.test)

    def _with_tests(self, body: Statements) -> Statements:
        """`x = f(); if x: ...` is `if f(): ...`, where nothing else reads x."""
        kept: Statements = []
        for each in body:
            last = kept[-1] if kept else None
            if last and isinstance(each, cst.If) and m.matches(last, ASSIGN) and self._asks(each, last):
                value = assigned(last)[1]
                test = (
                    cst.UnaryOperation(cst.Not(), value)
                    if m.matches(each.test, m.UnaryOperation())
                    else value
                )
                kept[-1] = each.with_changes(test=test)
            else:
                kept.append(each)
        return kept

    def _asks(self, question: cst.If, assignment: cst.BaseStatement) -> bool:
        name, value = assigned(assignment)
        once = self.names.stores[name] == self.names.reads[name] == 1
        return once and isinstance(value, cst.Call) and m.matches(_bare(question.test), m.Name(name))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """`x.update({y})` is `x.add(y)`."""
        if m.matches(updated_node, UPDATE_WITH_ONE):
            (element,) = cst.ensure_type(updated_node.args[0].value, cst.Set).elements
            function = updated_node.func.with_changes(attr=cst.Name("add"))
            return updated_node.with_changes(func=function, args=[cst.Arg(element.value)])
        return updated_node

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Nothing is returned at the end anyway."""
        body = updated_node.body
        if len(body.body) > 1 and m.matches(body.body[-1], IDLE_END):
            return updated_node.with_changes(body=body.with_changes(body=body.body[:-1]))
        return updated_node


def assigned(statement: cst.CSTNode) -> tuple[str, cst.BaseExpression]:
    """The variable and its value."""
    part = cst.ensure_type(statement, cst.SimpleStatementLine).body[0]
    target = (
        part.targets[0].target
        if isinstance(part, cst.Assign)
        else cst.ensure_type(part, cst.AnnAssign).target
    )
    value = part.value if isinstance(part, cst.Assign | cst.AnnAssign) else None
    return cst.ensure_type(target, cst.Name).value, value or cst.Name("None")


def _bare(test: cst.BaseExpression) -> cst.BaseExpression:
    """What a condition is about, whether it asks for it or for its opposite."""
    is_negated = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
    return cst.ensure_type(test, cst.UnaryOperation).expression if is_negated else test


def _truth(test: cst.BaseExpression) -> cst.BaseExpression:
    """What a condition asks whether it is true."""
    is_told = m.matches(test, TRUTH)
    return cst.ensure_type(test, cst.Call).args[0].value if is_told else test


def _leaves(suite: cst.BaseSuite) -> bool:
    return bool(suite.body) and _is_end(suite.body[-1])


def _is_end(statement: cst.CSTNode) -> bool:
    return m.matches(statement, END)


def _up_to_the_end(body: Statements) -> Statements:
    """Without what follows a `return`."""
    ends = (index for index, each in enumerate(body, 1) if _is_end(each))
    return body[: next(ends, len(body))]


def _without_repetitions(body: Sequence[cst.BaseStatement]) -> Statements:
    """Assignments that have become the same as the one before go."""
    kept: Statements = []
    for each in body:
        is_same = bool(kept) and m.matches(each, PLAIN_ASSIGN) and each.deep_equals(kept[-1])
        if not (is_same and not findall(each, m.Call())):
            kept.append(each)
    return kept
