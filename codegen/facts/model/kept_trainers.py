"""Schedulers of the user's that keep the trainer until they have asked it for what they need."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import Class, External, Instance, Partial, Value, Values, values_of
from ..optimizers.objects import SCHEDULERS

LETTING_GO = m.Assign(targets=[m.AssignTarget()], value=m.Name("None"))


def keeps_for_a_while(project: Project, target: cst.Attribute) -> bool:
    """Whether it is an attribute that a scheduler alone reads and sets to None, else it would be part of its state."""
    values, index = values_of(project), project.index
    kinds = {each.cls if isinstance(each, Instance) else None for each in values.of(target.value)}
    own = {cls.node for kind in kinds if isinstance(kind, Class) for cls in _lineage(values, kind)}
    uses = index.attributes(target.attr.value)
    is_schedulers = bool(own) and all(isinstance(kind, Class) and _schedules(values, kind) for kind in kinds)
    is_own = all(index.class_of(use) in own and m.matches(use.value, m.Name("self")) for use in uses)
    return is_schedulers and is_own and any(_is_let_go(index.ancestor(use, cst.Assign), use) for use in uses)


def takes_openly(project: Project, callee: Value) -> bool:
    """Whether it makes a scheduler, by a constructor whose code says what becomes of each thing that it is given."""
    values = values_of(project)
    kinds = classes_made(values, callee)
    return bool(kinds) and all(_schedules(values, each) and _is_open(values, each) for each in kinds)


def classes_made(values: Values, callee: Value) -> list[Class]:
    """The classes of which it makes objects; none: not all of them are known."""
    if isinstance(callee, Partial):
        found = values.of(callee.node.args[0].value) if callee.node.args else ()
        return [each for each in found if isinstance(each, Class)] if all(map(_is_class, found)) else []
    return [callee] if isinstance(callee, Class) else []


def _is_class(value: Value) -> bool:
    return isinstance(value, Class)


def _is_open(values: Values, kind: Class) -> bool:
    parts = [part for each in _lineage(values, kind) for part in each.node.body.body]
    constructors = [
        each.params for each in parts if isinstance(each, cst.FunctionDef) and each.name.value == "__init__"
    ]
    return bool(constructors) and not any(
        each.star_kwarg or isinstance(each.star_arg, cst.Param) for each in constructors
    )


def _lineage(values: Values, kind: Class) -> list[Class]:
    return [each for each in values.bases(kind) if isinstance(each, Class)]


def _schedules(values: Values, kind: Class) -> bool:
    """Whether a class is derived from torch's schedulers, and else from classes that stand in the code."""
    others = [each for each in values.bases(kind) if isinstance(each, External)]
    return bool(others) and all(each.name.startswith(SCHEDULERS) for each in others)


def _is_let_go(assigned: cst.CSTNode | None, use: cst.Attribute) -> bool:
    return (
        isinstance(assigned, cst.Assign)
        and m.matches(assigned, LETTING_GO)
        and assigned.targets[0].target is use
    )
