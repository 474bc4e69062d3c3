"""Profilers that a Trainer is given as objects."""

from __future__ import annotations

import libcst as cst

from ...ir.project import Project
from ...values import values_of
from ..code.instances import Instances


def profiler_made(project: Project, node: cst.BaseExpression) -> cst.Call | None:
    """The call that makes the one of torch's that it surely is; None: it is another, or none."""
    made = values_of(project).of(node).only
    if made is None or "PyTorchProfiler" not in Instances(project).lightning_names(made):
        return None
    call = getattr(made, "node", None)
    return call if isinstance(call, cst.Call) else None
