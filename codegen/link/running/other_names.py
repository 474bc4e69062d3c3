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


SUPER_INIT = m.SimpleStatementLine([m.Expr(m.Call(m.Attribute(m.Call(m.Name("super")), m.Name("__init__"))))])


def by_public_names(project: Project) -> list[Change]:
    """The properties in the place of such attributes, where nothing sets these or constructors alone do."""
    return [
        (node.attr, public)
        for private, public in PRIVATE.items()
        for cls in project.classes.values()
        for node in _asked_by_methods(project, cls, private, public)
    ]


def _asked_by_methods(project: Project, cls: Class, name: str, public: str) -> list[cst.Attribute]:
    """The places of a class at which methods read an attribute of `self`, or set it first; none where others may."""
    if cls.kind != "module" or name not in project.source.text:
        return []
    index, lineage = project.index, [part.node for part in cls.lineage]
    nodes = [node for node in index.attributes(name) if m.matches(node.value, m.Name("self"))]
    own = [node for node in nodes if any(index.holds(part, node) for part in lineage)]
    sets = [node for node in own if is_target(index, node)]
    if sets and not (
        _has_lightnings(project, cls, public) and all(_is_set_first(index, each) for each in sets)
    ):
        return []
    return [node for node in own if index.class_of(node) is cls.node]


def _has_lightnings(project: Project, cls: Class, public: str) -> bool:
    """Whether the property is Lightning's own, and moves alone change what it gives: those of a trainer."""
    is_own = any([*project.index.inner_scope(part.node).bindings(public)] for part in cls.lineage)
    return not is_own and not project.index.attributes("load_from_checkpoint")


def _is_set_first(index: Index, node: cst.Attribute) -> bool:
    """Whether the attribute is set by a constructor, once Lightning's has run, and before anything moves the model."""
    function = index.function_of(node)
    if function is None or function.name.value != "__init__":
        return False
    holder = index.parent(node)
    assign = index.parent(holder) if isinstance(holder, cst.AssignTarget) else holder
    line = index.parent(assign) if isinstance(assign, cst.Assign | cst.AnnAssign) else None
    body = list(function.body.body)
    calls = [place for place, each in enumerate(body) if m.matches(each, SUPER_INIT)]
    others = [each for each in index.within(function, cst.Attribute) if each.attr.value == "__init__"]
    is_once = len(calls) == len(others) == 1
    return is_once and any(each is line for each in body[calls[0] + 1 :])
