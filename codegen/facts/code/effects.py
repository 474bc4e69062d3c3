"""Which statements do something when they are run, beyond binding names."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...index.search import findall
from ...ir.project import Project, Statement
from ...source.pure_calls import PURE_CALLS

OF_PATHS = m.Attribute(m.Call(), m.Name("resolve") | m.Name("absolute") | m.Name("joinpath"))
"""Methods of such values that do nothing else either."""


def acts(project: Project, statement: Statement) -> bool:
    """Whether running a statement that is no definition does more than bind names to plain values."""
    if isinstance(statement.node, cst.FunctionDef | cst.ClassDef):
        return False
    visitor = _Calls(project)
    statement.node.visit(visitor)
    return statement.always or visitor.found


def registers(project: Project, statement: Statement) -> bool:
    """Whether a decorator may enter a definition into an object of the project's."""
    node = statement.node
    decorators = node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()
    objects = {name for each in project.statements if _is_object(each) for name in each.names}
    return any(findall(each.decorator, m.Name(m.MatchIfTrue(objects.__contains__))) for each in decorators)


def _is_object(statement: Statement) -> bool:
    """Whether a statement binds a variable, or a function that a decorator may have made an object of."""
    node = statement.node
    return not isinstance(node, cst.FunctionDef | cst.ClassDef) or bool(node.decorators)


def _is_pure(project: Project, call: cst.Call) -> bool:
    if m.matches(call.func, OF_PATHS):
        made = cst.ensure_type(cst.ensure_type(call.func, cst.Attribute).value, cst.Call)
        return _is_pure(project, made)
    return project.called(call) in PURE_CALLS


class _Calls(cst.CSTVisitor):
    """Looks for calls that are made when the statement is run."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.found = False

    def visit_Call(self, node: cst.Call) -> None:
        self.found = self.found or not _is_pure(self.project, node)

    def visit_Await(self, node: cst.Await) -> None:
        self.found = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False
