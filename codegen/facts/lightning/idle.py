"""What code asks its trainer for to no effect: what it tells the profiler, what it takes and never reads."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project
from ...lightning.trainer_names import INNER, TRAINER_NAMES
from ...runtime.constructed import trainer_members
from ...source.pure_calls import gives_a_value
from ..validation.replaced import replaced_check

Idle = cst.Call | cst.Assign
"""What the script leaves out."""

TELLING = m.Call(m.Attribute(attr=m.Name("start") | m.Name("stop") | m.Name("describe")))
PART = m.Call(m.Attribute(attr=m.Name("profile")), [m.Arg(star="")])
"""`self.trainer.profiler.profile("name")`, the context of a part that is measured."""

ALONE = cst.Expr | cst.Lambda
"""What calls whose result nobody asks for may stand in."""

ACTING = cst.Await, cst.NamedExpr, cst.Yield
TAKEN = m.Assign(targets=[m.AssignTarget(m.Name())])


def idle(project: Project, asked: cst.Attribute) -> Idle | None:
    """What comes to nothing without this member of a trainer, with nothing lost; None: it may have an effect."""
    return (
        _profiler_call(project, asked)
        or _unread_assignment(project.index, asked)
        or _replaced_check(project, asked)
    )


def _replaced_check(project: Project, asked: cst.Attribute) -> cst.Assign | None:
    """The statement that puts a function in the place of a method of `trainer.fit_loop`, of which more is said."""
    statement = project.index.ancestor(asked, cst.Assign) if asked.attr.value == "fit_loop" else None
    return statement if statement and replaced_check(project, statement) else None


def _profiler_call(project: Project, asked: cst.Attribute) -> cst.Call | None:
    """The call that does no more than to tell `trainer.profiler` something."""
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


def _unread_assignment(index: Index, asked: cst.Attribute) -> cst.Assign | None:
    """`connector = trainer._checkpoint_connector`, of which a function makes nothing."""
    statement = index.parent(asked)
    if not (isinstance(statement, cst.Assign) and m.matches(statement, TAKEN)):
        return None
    variable = index.variable(cst.ensure_type(statement.targets[0].target, cst.Name))
    is_known = asked.attr.value in (TRAINER_NAMES | INNER) - trainer_members()
    is_unread = variable is not None and variable.scope.kind == "function" and not variable.uses
    return statement if is_known and is_unread else None
