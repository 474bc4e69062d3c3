"""Constructors of Lightning's classes that code calls by the name of the class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project, Statement
from ..code.literals import code_of

CONSTRUCTOR = m.Attribute(attr=m.Name("__init__"))

UNBOUND = m.Call(
    m.Attribute(
        m.Call(m.Name("super"), [m.SaveMatchedNode(m.Arg(keyword=None, star=""), "named")]),
        m.Name("__init__"),
    ),
    args=[],
)

MODULE = ("nn.Module", "torch.nn.Module", "Module")
"""The base of Lightning's own, behind which it stands wherever that is named."""


def base_constructors(project: Project, statements: Iterable[Statement]) -> Iterator[tuple[cst.Call, str]]:
    """Calls as `LightningModule.__init__(self)`, with the same by `super()`."""
    classes = {cls.node: cls for cls in project.classes.values()}
    for call in (each for one in statements for each in project.index.within(one.node, cst.Call)):
        node = project.index.class_of(call) if m.matches(call.func, CONSTRUCTOR) else None
        if (
            node in classes
            and _is_of_self(project, call)
            and (before := _before(project, classes[node], call))
        ):
            given = ", ".join(_code(each) for each in call.args[1:])
            behind = "" if before is classes[node] else f"{before.name}, {code_of(call.args[0].value)}"
            yield call, f"super({behind}).__init__({given})"


def in_unbound_supers(project: Project, statements: Iterable[Statement]) -> Iterator[cst.BaseExpression]:
    """Classes of Lightning's in `super(LightningModule).__init__()`, which calls no constructor of any class's."""
    for call in (each for one in statements for each in project.index.within(one.node, cst.Call)):
        if found := m.extract(call, UNBOUND):
            named = cst.ensure_type(found["named"], cst.Arg).value
            if project.lightning_name(named):
                yield named


def _is_of_self(project: Project, call: cst.Call) -> bool:
    method = project.index.function_of(call)
    if not (call.args and isinstance(method, cst.FunctionDef) and method.params.params):
        return False
    return code_of(call.args[0].value) == method.params.params[0].name.value and not call.args[0].keyword


def _before(project: Project, cls: Class, call: cst.Call) -> Class | None:
    """The class behind which Python finds the one that is named, in objects of classes derived from this, too."""
    named = project.lightning_name(cst.ensure_type(call.func, cst.Attribute).value)
    orders = [each.resolution_order for each in project.classes.values() if cls in each.resolution_order]
    orders = [tuple(each for each in order if each not in MODULE) for order in orders]
    found = {order[order.index(named) - 1] if named in order else None for order in orders}
    before = found.pop()
    return before if isinstance(before, Class) and not found else None


def _code(argument: cst.Arg) -> str:
    return code_of(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT))
