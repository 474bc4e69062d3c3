"""What code asks of Lightning's objects by names of its own, or by private ones, read as by their public names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...index.index import Index
from ...index.scope import Variable
from ...index.search import code_for
from ...index.targets import is_target
from ...ir.project import Class, Project
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


PRIVATE = {"_device": "device"}
"""Attributes of a LightningModule that its properties give."""


def by_public_names(project: Project) -> list[Change]:
    """The properties in the place of such attributes, where the class does not set them itself."""
    return [
        (node.attr, public)
        for private, public in PRIVATE.items()
        for cls in project.classes.values()
        for node in _read_by_methods(project, cls, private)
    ]


def _read_by_methods(project: Project, cls: Class, name: str) -> list[cst.Attribute]:
    """The places at which methods read an attribute of `self`; none where a class of the lineage may set it."""
    if cls.kind != "module" or name not in project.source.text:
        return []
    nodes = [node for node in project.index.attributes(name) if m.matches(node.value, m.Name("self"))]
    lineage = [part.node for part in cls.lineage]
    own = [node for node in nodes if any(project.index.holds(part, node) for part in lineage)]
    is_set = any(is_target(project.index, node) for node in own)
    return [] if is_set else [node for node in own if project.index.class_of(node) is cls.node]
