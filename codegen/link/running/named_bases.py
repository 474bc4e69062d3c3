"""Methods of Lightning's classes that code calls by the name of the class, as `LightningModule.log(self, ...)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project
from ...source.source import Change

UNBOUND = m.Call(func=m.Attribute(value=m.Name() | m.Attribute()), args=[m.Arg(), m.ZeroOrMore()])

MAY_BE_NAMED = re.compile(r"\.\w+\(\s*self\b")

NAME = re.compile(r"[\w.]+")

MODULE = ("nn.Module", "torch.nn.Module", "Module")
"""The base of Lightning's own, behind which it stands wherever that is named."""


def by_super(project: Project) -> list[Change]:
    """The same calls by `super()`, where that leads there."""
    if not MAY_BE_NAMED.search(project.source.text):
        return []
    return [
        change
        for cls in project.classes.values()
        for call in project.index.within(cls.node, cst.Call)
        if m.matches(call, UNBOUND) and project.index.class_of(call) is cls.node
        if _is_of_self(project, call)
        for change in _changes(project, cls, call)
    ]


def _changes(project: Project, cls: Class, call: cst.Call) -> Iterator[Change]:
    named, own = cst.ensure_type(call.func, cst.Attribute).value, call.args[0]
    if before := _before(project, cls, named):
        of_object = cst.ensure_type(own.value, cst.Name).value
        yield named, "super()" if before == cls.name else f"super({before}, {of_object})"
        yield own, ""


def _is_of_self(project: Project, call: cst.Call) -> bool:
    method, first = project.index.function_of(call), call.args[0]
    if not (isinstance(method, cst.FunctionDef) and method.params.params) or first.keyword or first.star:
        return False
    return m.matches(first.value, m.Name(method.params.params[0].name.value))


def _before(project: Project, cls: Class, named: cst.BaseExpression) -> str:
    """The class behind which Python finds the one that is named, in all that have both; empty: there is none."""
    name = project.lightning_name(named)
    orders = [each.resolution_order for each in project.classes.values() if cls in each.resolution_order]
    orders = [tuple(each for each in order if each not in MODULE) for order in orders]
    found = {order[order.index(name) - 1] for order in orders if name in order}
    names = [each.name if isinstance(each, Class) else each for each in found]
    return names[0] if len(names) == 1 and NAME.fullmatch(names[0]) else ""
