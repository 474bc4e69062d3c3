"""`isinstance(value, LightningModule)`, which a script asks of its own base class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import libcst as cst

from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites
from ...values import Values, values_of

INSTEAD = "TrainModule"
"""What LightningModules are derived from in a script."""


def asked_kinds(project: Project, statements: Iterable[Statement]) -> frozenset[cst.BaseExpression]:
    """Where it is named, of values of which it is known what they are."""
    values = values_of(project)
    calls = (call for each in statements for call in project.index.within(each.node, cst.Call))
    return frozenset(_named(values, calls))


def _named(values: Values, calls: Iterable[cst.Call]) -> Iterator[cst.BaseExpression]:
    for call in calls:
        if values.asks_kind(call):
            asked, kind = (each.value for each in call.args)
            known = [values.is_module(each) for each in values.of(asked)]
            if known and None not in known:
                yield kind


def with_asked_kinds(rewrites: Rewrites, found: Iterable[cst.BaseExpression]) -> Rewrites:
    """The rewrites, and these."""
    return replace(rewrites, names=(*rewrites.names, *((node, INSTEAD) for node in found)))
