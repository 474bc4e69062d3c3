"""Variables that hold a trainer's strategy, where code asks of which kind it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...index.index import Index
from ...index.scope import Variable
from ...index.search import code_for
from ...ir.project import Project
from ...lightning.api import starred
from ...source.source import Change

KINDS = frozenset(starred("lightning.pytorch.strategies"))
MAY_BE_ASKED = re.compile(r"isinstance\(\s*\w+\s*,")

STRATEGY = m.Attribute(attr=m.Name("strategy"))
HOLDING = m.Assign([m.AssignTarget(m.Name())], STRATEGY) | m.AnnAssign(m.Name(), value=STRATEGY)
KIND_ASKED = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), star=""), m.Arg(star="")])


def by_what_they_hold(project: Project) -> list[Change]:
    """What such variables hold, wherever they stand; the variables are left out."""
    if not MAY_BE_ASKED.search(project.source.text):
        return []
    held = {
        variable: assign
        for call in project.index.of_kind(cst.Call)
        if m.matches(call, KIND_ASKED) and _asks_for_strategy(project, call.args[1].value)
        for variable, assign in _holding(project.index, cst.ensure_type(call.args[0].value, cst.Name))
    }
    return [change for variable, assign in held.items() for change in _changes(variable, assign)]


def _asks_for_strategy(project: Project, kinds: cst.BaseExpression) -> bool:
    each = [one.value for one in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
    return all(project.lightning_name(kind) in KINDS for kind in each)


def _holding(index: Index, name: cst.Name) -> Iterator[tuple[Variable, cst.Assign | cst.AnnAssign]]:
    """The variable of a function that is bound once, beside other statements, to what goes on being the same."""
    variable = index.variable(name)
    assign = variable.bindings[0].by if variable and len(variable.bindings) == 1 else None
    if variable is None or not isinstance(assign, cst.Assign | cst.AnnAssign):
        return
    line = index.parent(assign)
    block = index.parent(line) if isinstance(line, cst.SimpleStatementLine) else None
    stands_beside = isinstance(block, cst.IndentedBlock) and len(block.body) > 1
    is_local = variable.scope.is_function and stands_beside
    if is_local and m.matches(assign, HOLDING) and _is_steady(index, assign.value):
        yield variable, assign


def _is_steady(index: Index, value: cst.BaseExpression | None) -> bool:
    while isinstance(value, cst.Attribute):
        value = value.value
    return isinstance(value, cst.Name) and len(index.bindings(value)) == 1


def _changes(variable: Variable, assign: cst.Assign | cst.AnnAssign) -> Iterator[Change]:
    assert assign.value is not None
    yield assign, ""
    yield from ((use, code_for(assign.value)) for use in variable.uses)
