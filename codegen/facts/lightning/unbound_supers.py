"""`super()` of Lightning's classes that calls no constructor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project, Statement

UNBOUND = m.Call(
    m.Attribute(
        m.Call(m.Name("super"), [m.SaveMatchedNode(m.Arg(keyword=None, star=""), "named")]),
        m.Name("__init__"),
    ),
    args=[],
)


def in_unbound_supers(project: Project, statements: Iterable[Statement]) -> Iterator[cst.BaseExpression]:
    """Classes of Lightning's in `super(LightningModule).__init__()`, which calls no constructor of any class's."""
    for call in (each for one in statements for each in project.index.within(one.node, cst.Call)):
        if found := m.extract(call, UNBOUND):
            named = cst.ensure_type(found["named"], cst.Arg).value
            if project.lightning_name(named):
                yield named
