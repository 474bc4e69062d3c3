"""Optimizers that cannot be stepped where losses are scaled (19.3)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...values import Instance, values_of
from .objects import Returned, configured, is_lbfgs


def check_scaled(project: Project, cls: Class, clips: bool) -> Iterator[Diagnostic]:
    """Those that Lightning refuses; `clips`: gradients are limited before each step."""
    if "configure_optimizers" not in cls.methods:
        return
    for made in Returned(project, configured(project, cls)).optimizers:
        if isinstance(made, Instance) and isinstance(made.node, cst.Call):
            at = (project.source, made.node)
            if is_lbfgs(made):
                yield messages.lbfgs_scaled(at)
            if clips and _is_fused(project, made.node):
                yield messages.fused_clipped(at)


def _is_fused(project: Project, call: cst.Call) -> bool:
    given = values_of(project).arguments(call, ()).get("fused")
    literal = given.values.literal if given else None
    return literal is not None and literal.value is True
