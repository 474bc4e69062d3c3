"""What Lightning's optimizers call before and after their steps, which code sets so that these are not counted."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project
from ...values import values_of

STEP_HOOKS = ("_on_before_step", "_on_after_step")

TIMED = m.Call(m.Attribute(m.Attribute(attr=m.Name("profiler")), m.Name("start") | m.Name("stop")))
"""`self.trainer.profiler.start("optimizer_step")`"""


def step_hooks(project: Project) -> dict[tuple[str, cst.CSTNode], None]:
    """The names and places of those that the code sets or asks for."""
    stores = ((name, place) for _, name, place in values_of(project).stores() if name in STEP_HOOKS)
    asked = ((node.attr.value, node) for node in project.index.attributes(*STEP_HOOKS))
    return dict.fromkeys((*asked, *stores))


def timing_call(index: Index, profiler: cst.Attribute) -> cst.Call | None:
    """The call that tells a trainer's profiler of a step, where it is all that a lambda does."""
    function = index.parent(profiler)
    call = index.parent(function) if function is not None else None
    is_alone = isinstance(call, cst.Call) and m.matches(index.parent(call), m.Lambda())
    return call if is_alone and isinstance(call, cst.Call) and m.matches(call, TIMED) else None
