"""Profilers that a Trainer is given as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...values import values_of
from ..code.instances import Instances
from ..lightning.idle import PART, Idle


def profiler_made(project: Project, node: cst.BaseExpression) -> cst.Call | None:
    """The call that makes the one of torch's that it surely is; None: it is another, or none."""
    made = values_of(project).of(node).only
    if made is None or "PyTorchProfiler" not in Instances(project).lightning_names(made):
        return None
    call = getattr(made, "node", None)
    return call if isinstance(call, cst.Call) else None


def check_profiled(
    project: Project, idle: Iterable[Idle], asked: Iterable[cst.CSTNode]
) -> Iterator[Diagnostic]:
    """Parts of the code that torch's profiler would name under Lightning, and where the code asks for that."""
    left_out = tuple(idle)
    told = (node for node in asked if not any(project.index.holds(each, node) for each in left_out))
    parts = (*(each for each in left_out if m.matches(each, PART)), *told)
    yield from (messages.profiled_part((project.source, each)) for each in parts)
