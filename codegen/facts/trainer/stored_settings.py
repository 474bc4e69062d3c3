"""What code puts into a mapping of settings of which a run alone knows the rest."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project

Entry = tuple[str, cst.BaseExpression]

UPDATE = m.Call(m.Attribute(attr=m.Name("update")))
KEY = [m.SubscriptElement(m.Index(m.SimpleString()))]


def stored_in(project: Project, mapping: cst.BaseExpression) -> Iterator[Entry | cst.BaseExpression]:
    """What a variable's mapping is given under names that are written out, and mappings that it is updated by."""
    variable = project.index.variable(mapping) if isinstance(mapping, cst.Name) else None
    for use in variable.uses if variable is not None else ():
        parent = project.index.parent(use)
        if isinstance(parent, cst.Subscript) and parent.value is use:
            yield from _set(project, parent)
        elif isinstance(parent, cst.Attribute) and parent.value is use:
            yield from _updated(project.index.parent(parent))


def _set(project: Project, item: cst.Subscript) -> Iterator[Entry]:
    """`mapping["key"] = value`."""
    target = project.index.parent(item)
    statement = project.index.parent(target) if isinstance(target, cst.AssignTarget) else None
    if isinstance(statement, cst.Assign) and m.matches(item, m.Subscript(slice=KEY)):
        (element,) = item.slice
        key = cst.ensure_type(cst.ensure_type(element.slice, cst.Index).value, cst.SimpleString)
        yield str(key.evaluated_value), statement.value


def _updated(call: cst.CSTNode | None) -> Iterator[Entry | cst.BaseExpression]:
    """`mapping.update(other, key=value)`."""
    if isinstance(call, cst.Call) and m.matches(call, UPDATE):
        for argument in call.args:
            if argument.keyword is not None:
                yield argument.keyword.value, argument.value
            elif argument.star in ("", "**"):
                yield argument.value
