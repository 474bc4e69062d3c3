"""What code tells the trainer's profiler, which a script does without."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...source.pure_calls import gives_a_value

TELLING = m.Call(m.Attribute(attr=m.Name("start") | m.Name("stop") | m.Name("describe")))
PART = m.Call(m.Attribute(attr=m.Name("profile")), [m.Arg(star="")])
"""`self.trainer.profiler.profile("name")`, the context of a part that is measured."""

ALONE = cst.Expr | cst.Lambda
"""What calls whose result nobody asks for may stand in."""

ACTING = cst.Await, cst.NamedExpr, cst.Yield


def profiler_call(project: Project, asked: cst.Attribute) -> cst.Call | None:
    """The call that does no more than to tell `trainer.profiler` something; None: something else is asked."""
    index = project.index
    function = index.parent(asked) if asked.attr.value == "profiler" else None
    call = index.parent(function) if isinstance(function, cst.Attribute) else None
    if not isinstance(call, cst.Call) or index.function_of(call) is None or not _makes_names(project, call):
        return None
    parent = index.parent(call)
    is_part = isinstance(parent, cst.WithItem) and parent.asname is None and m.matches(call, PART)
    is_told = isinstance(parent, ALONE) and m.matches(call, TELLING)
    return call if is_part or is_told else None


def _makes_names(project: Project, call: cst.Call) -> bool:
    """Whether nothing happens when its arguments are made, but that."""
    index = project.index
    made = [each for argument in call.args for each in index.within(argument, cst.Call)]
    acts = any(index.within(argument, *ACTING) for argument in call.args)
    return not acts and all(gives_a_value(project.called(each)) for each in made)
