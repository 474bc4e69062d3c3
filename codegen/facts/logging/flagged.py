"""Flags that a method sets while it calls another one, which keep that from logging: `self.quiet = True`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import values_of
from ..code.usage import LogCall

SELF = m.Name("self")
FLAG = m.SaveMatchedNode(m.Name(), "flag")
TEXT = m.SaveMatchedNode(m.SimpleString(), "flag")
UNSET = m.UnaryOperation(
    m.Not(),
    m.Attribute(SELF, FLAG) | m.Call(m.Name("getattr"), [m.Arg(SELF), m.Arg(TEXT), m.Arg(m.Name("False"))]),
)
SETTING = m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Attribute(SELF, FLAG))], m.Name("True"))])


def is_flagged(project: Project, uses: list[cst.Attribute], call: LogCall) -> bool:
    """Whether the calls of a method stand where a flag is set with which it does not come to a call of `log`."""
    return bool(uses) and any(
        all(_is_set_at(project, each, flag) for each in uses) for flag in _flags_asked(project, call.node)
    )


def _flags_asked(project: Project, node: cst.CSTNode) -> Iterator[str]:
    """The flags that keep code from coming to a place of a method."""
    index, function = project.index, project.index.function_of(node)
    while (parent := index.parent(node)) is not None and parent is not function:
        if isinstance(parent, cst.If) and node is parent.body:
            for part in _parts(parent.test):
                if found := m.extract(part, UNSET):
                    yield _name(found["flag"])
        node = parent


def _parts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """What has to be true for a condition to be."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _parts(test.left)
        yield from _parts(test.right)
    else:
        yield test


def _name(found: object) -> str:
    return str(found.raw_value) if isinstance(found, cst.SimpleString) else getattr(found, "value", "")


def _is_set_at(project: Project, use: cst.Attribute, flag: str) -> bool:
    """Whether the flag is surely set where a method calls another of its object's."""
    index, function = project.index, project.index.function_of(use)
    places = [place for _, name, place in values_of(project).stores() if name == flag]
    elsewhere = {index.function_of(each) for each in places} - {function}
    if not m.matches(use, m.Attribute(SELF)) or not all(map(_is_constructor, elsewhere)):
        return False
    statement: cst.CSTNode = use
    while (parent := index.parent(statement)) is not None and parent is not function:
        block = parent.body if isinstance(parent, cst.IndentedBlock) else ()
        above = [each for each in block[: block.index(statement)] if _sets(each, flag)] if block else []
        if above:
            until = block[block.index(above[-1]) + 1 : block.index(statement)]
            run = (*until, _part_with(project, statement, use))
            return not any(index.holds(each, place) for each in run for place in places)
        statement = parent
    return False


def _is_constructor(function: cst.FunctionDef | None) -> bool:
    return function is not None and function.name.value == "__init__"


def _sets(statement: cst.CSTNode, flag: str) -> bool:
    found = m.extract(statement, SETTING)
    return found is not None and _name(found["flag"]) == flag


def _part_with(project: Project, statement: cst.CSTNode, use: cst.CSTNode) -> cst.CSTNode:
    """What is run of a statement until a place in it, again and again if it is a loop."""
    is_tried = isinstance(statement, cst.Try) and project.index.holds(statement.body, use)
    return statement.body if is_tried and isinstance(statement, cst.Try) else statement
