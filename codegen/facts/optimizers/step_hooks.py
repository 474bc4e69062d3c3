"""What Lightning's optimizers call before and after their steps, which code sets so that these are not counted."""

from __future__ import annotations

import libcst as cst

from ...ir.project import Project
from ...values import values_of

STEP_HOOKS = ("_on_before_step", "_on_after_step")


def step_hooks(project: Project) -> dict[tuple[str, cst.CSTNode], None]:
    """The names and places of those that the code sets or asks for."""
    stores = ((name, place) for _, name, place in values_of(project).stores() if name in STEP_HOOKS)
    asked = ((node.attr.value, node) for node in project.index.attributes(*STEP_HOOKS))
    return dict.fromkeys((*asked, *stores))
