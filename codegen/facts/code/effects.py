"""Which statements do something when they are run, beyond binding names."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...source.pure_calls import PURE_CALLS

OF_PATHS = m.Attribute(m.Call(), m.Name("resolve") | m.Name("absolute") | m.Name("joinpath"))
"""Methods of such values that do nothing else either."""


TEXT = m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])
"""What says how to start a script, say, behind all that runs."""


GRAD_MODE_SETTER = m.Name("set_grad_enabled") | m.Name("_set_grad_enabled")
SETS_GRAD_MODE = m.Call(func=GRAD_MODE_SETTER | m.Attribute(attr=GRAD_MODE_SETTER))


def acts(project: Project, statement: Statement) -> bool:
    """Whether running a statement that is no definition does more than bind names to plain values."""
    if isinstance(statement.node, cst.FunctionDef | cst.ClassDef) or m.matches(statement.node, TEXT):
        return False
    index, node = project.index, statement.node
    calls = index.at_once(node, cst.Call)
    return (
        statement.always
        or bool(index.at_once(node, cst.Await))
        or not all(_is_pure(project, each) for each in calls)
    )


def does_nothing(method: cst.FunctionDef) -> bool:
    """Whether a method is there for completeness alone: it has no more than a docstring, `pass` or `return {}`."""
    lines = method.body.body
    parts = [
        part
        for each in lines
        for part in (each.body if isinstance(each, cst.SimpleStatementLine) else [each])
    ]
    text = m.SimpleString() | m.ConcatenatedString() | m.Ellipsis()
    empty = (
        m.Pass() | m.Expr(text) | m.Return(None) | m.Return(m.Name("None")) | m.Return(m.Dict(elements=[]))
    )
    return all(m.matches(part, empty) for part in parts)


def sets_grad_mode(index: Index) -> bool:
    """Whether code may leave gradients disabled: a block or a function that sets their mode restores it."""
    calls = (call for call in index.of_kind(cst.Call) if m.matches(call, SETS_GRAD_MODE))
    return any(not isinstance(index.parent(call), cst.WithItem | cst.Decorator) for call in calls)


def registers(project: Project, statement: Statement) -> bool:
    """Whether a decorator may enter a definition into an object of the project's."""
    node = statement.node
    decorators = node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()
    objects = {name for each in project.statements if _is_object(each) for name in each.names}
    names = (name for each in decorators for name in project.index.within(each.decorator, cst.Name))
    return any(name.value in objects for name in names)


def _is_object(statement: Statement) -> bool:
    """Whether a statement binds a variable, or a function that a decorator may have made an object of."""
    node = statement.node
    return not isinstance(node, cst.FunctionDef | cst.ClassDef) or bool(node.decorators)


def _is_pure(project: Project, call: cst.Call) -> bool:
    if m.matches(call.func, OF_PATHS):
        made = cst.ensure_type(cst.ensure_type(call.func, cst.Attribute).value, cst.Call)
        return _is_pure(project, made)
    return project.called(call) in PURE_CALLS
