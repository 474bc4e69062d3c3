"""Several loaders that a main hands to the Trainer in the place of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal as Choice

import libcst as cst

from ...ir.project import Project
from ...values import Dict, Instance, Sequence, Value, values_of
from ..code.stages import PREDICT, Stage
from .loader_calls import LoaderCall, combined_calls

Reading = Choice["", "in turn", "together", "unknown"]
"""How a CombinedLoader reads its loaders; empty: there is none."""

TOGETHER = ("min_size", "max_size", "max_size_cycle")


def is_collection(value: Value) -> bool:
    """Whether a value holds loaders; of a generator it is not known."""
    return isinstance(value, Dict) or (isinstance(value, Sequence) and value.kind in ("list", "tuple"))


def may_be_collection(project: Project, expression: cst.BaseExpression) -> bool:
    """Whether an expression may hold several loaders."""
    return any(map(is_collection, values_of(project).of(expression)))


def are_read_together(project: Project, expression: cst.BaseExpression) -> bool:
    """Whether it may hold several that training reads batches of at once."""
    found = values_of(project).of(expression)
    return any(is_collection(each) or is_combined(each) for each in found)


def reading_of(project: Project, found: Iterable[Value], hook: cst.FunctionDef | None = None) -> Reading:
    """How all of what may stand in a loader's place, or what a hook returns, reads several."""
    readings = {_reading(project, each, hook) for each in found}
    return readings.pop() if len(readings) == 1 else "unknown" if readings - {""} else ""


def _reading(project: Project, value: Value, hook: cst.FunctionDef | None) -> Reading:
    if not (isinstance(value, Instance) and is_combined(value)):
        return ""
    if not isinstance(value.node, cst.Call):
        return "unknown"
    readings = {_as_told(each) for each in combined_calls(project, value.node, hook)}
    return readings.pop() if len(readings) == 1 else "unknown"


def _as_told(call: LoaderCall) -> Reading:
    """As a CombinedLoader's mode says."""
    mode = call.given("mode")
    known = (mode.literal.value if mode.literal else None) if mode else TOGETHER[0]
    if call.is_open:
        return "unknown"
    return "in turn" if known == "sequential" else "together" if known in TOGETHER else "unknown"


def misread(
    project: Project, found: Iterable[Value], stage: Stage, hook: cst.FunctionDef | None = None
) -> list[cst.CSTNode]:
    """The CombinedLoaders that a stage cannot read: how they do is not known, or not what Lightning takes."""
    values = list(found)
    reading = reading_of(project, values, hook)
    is_right = reading == "in turn" or (reading == "together" and stage is not PREDICT)
    return (
        [] if is_right else [each.node for each in values if isinstance(each, Instance) and is_combined(each)]
    )


def is_combined(value: Value) -> bool:
    """Whether it makes one of several loaders."""
    return isinstance(value, Instance) and value.lightning == "CombinedLoader"
