"""What code asks its trainer for to no effect: what it tells the profiler, what it takes and never reads.

So is what code does with what a profiler has measured, where no Trainer is given one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...lightning.trainer_names import INNER, TRAINER_NAMES
from ...runtime.constructed import trainer_members
from ...source.pure_calls import gives_a_value
from ...values import Literal, Option, Unknown, Value, values_of
from ...values.flow import ANY_NAME
from ..code.instances import Instances
from ..strategy.launchers import launcher_taken, torn_down_again
from ..validation.replaced import replaced_check

Idle = cst.Call | cst.Assign | cst.If
"""What the script leaves out."""

TELLING = m.Call(m.Attribute(attr=m.Name("start") | m.Name("stop") | m.Name("describe")))
WORDING = m.Call(m.Attribute(attr=m.Name("on_exception")), [m.Arg(star="")])
PART = m.Call(m.Attribute(attr=m.Name("profile")), [m.Arg(star="")])
"""`self.trainer.profiler.profile("name")`, the context of a part that is measured."""

NO_PROFILER = "PassThroughProfiler"
"""What Lightning's trainer has for one where it is given none."""

IS_PROFILED = m.UnaryOperation(
    m.Not(), m.Call(m.Name("isinstance"), [m.Arg(m.Attribute(attr=m.Name("profiler"))), m.Arg()])
)

OF_ITS_SCOPE = (cst.Yield, cst.Await, cst.Global, cst.Nonlocal)
"""What says something of the function in which it stands."""

ALONE = cst.Expr | cst.Lambda
"""What calls whose result nobody asks for may stand in."""

ACTING = cst.Await, cst.NamedExpr, cst.Yield
TAKEN = m.Assign(targets=[m.AssignTarget(m.Name())])

UNREAD = "timeout"
"""What no strategy of Lightning's reads of itself: it takes `_timeout`, as it was given when it was made."""

SET_IN_VAIN = m.Assign(
    targets=[m.AssignTarget(m.Attribute(m.Attribute(attr=m.Name("strategy")), m.Name(UNREAD)))]
)


def idle(project: Project, asked: cst.Attribute) -> Idle | None:
    """What comes to nothing without this member of a trainer, with nothing lost; None: it may have an effect."""
    return (
        _profiler_call(project, asked)
        or _unread_assignment(project.index, asked)
        or _replaced_check(project, asked)
        or _set_in_vain(project, asked)
        or _unprofiled_branch(project, asked)
        or _worded_error(project, asked)
        or launcher_taken(project, asked)
        or torn_down_again(project.index, asked)
    )


def unprofiled_branches(project: Project, statements: Iterable[Statement]) -> Iterator[cst.If]:
    """What code does only where a trainer has a profiler, of which none has one."""
    nodes = (node for each in statements for node in project.index.within(each.node, cst.If))
    found = [node for node in nodes if _asks_if_profiled(project, node)]
    yield from found if found and not _may_be_profiled(project) else ()


def check_set_in_vain(project: Project, left_out: Iterable[Idle]) -> Iterator[Diagnostic]:
    """Notes on attributes of strategies that are set, and that nothing reads."""
    for statement in (each for each in left_out if m.matches(each, SET_IN_VAIN)):
        yield messages.strategy_set_in_vain((project.source, statement), UNREAD)


def _set_in_vain(project: Project, asked: cst.Attribute) -> cst.Assign | None:
    """`trainer.strategy.timeout = timedelta(minutes=30)`; that the code reads it is refused where it does."""
    statement = project.index.ancestor(asked, cst.Assign) if asked.attr.value == "strategy" else None
    if statement is None or not m.matches(statement, SET_IN_VAIN):
        return None
    target = cst.ensure_type(statement.targets[0].target, cst.Attribute)
    return statement if target.value is asked and _makes_values(project, statement.value) else None


def _worded_error(project: Project, asked: cst.Attribute) -> cst.Call | None:
    """`trainer.strategy.on_exception(error)`, which does no more than to add advice to an error's text, under DDP."""
    index = project.index
    function = index.parent(asked) if asked.attr.value == "strategy" else None
    call = index.parent(function) if isinstance(function, cst.Attribute) else None
    if not isinstance(call, cst.Call) or not m.matches(call, WORDING):
        return None
    is_alone = isinstance(index.parent(call), cst.Expr) and call.func is function
    return call if is_alone and _makes_names(project, call) else None


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


def _unprofiled_branch(project: Project, asked: cst.Attribute) -> cst.If | None:
    """The branch in whose test or body it stands that is for trainers with a profiler."""
    branching = project.index.ancestor(asked, cst.If) if asked.attr.value == "profiler" else None
    while branching is not None and not _asks_if_profiled(project, branching):
        branching = project.index.ancestor(branching, cst.If)
    return None if branching is None or _may_be_profiled(project) else branching


def _asks_if_profiled(project: Project, branching: cst.If) -> bool:
    """Whether all that it does is for trainers whose profiler is not Lightning's for none."""
    is_alone = branching.orelse is None and not isinstance(project.index.parent(branching), cst.If)
    if (
        not is_alone
        or not _makes_values(project, branching.test)
        or project.index.within(branching, *OF_ITS_SCOPE)
    ):
        return False
    parts: list[cst.BaseExpression] = [branching.test]
    for each in parts:  # which grows
        if isinstance(each, cst.BooleanOperation) and isinstance(each.operator, cst.And):
            parts += [each.left, each.right]
    return any(_is_if_profiled(project, each) for each in parts)


def _is_if_profiled(project: Project, test: cst.BaseExpression) -> bool:
    if not (isinstance(test, cst.UnaryOperation) and m.matches(test, IS_PROFILED)):
        return False
    asked, kind = (each.value for each in cst.ensure_type(test.expression, cst.Call).args)
    owner, instances = cst.ensure_type(asked, cst.Attribute).value, Instances(project)
    is_trainers = any(map(instances.is_trainer, values_of(project).of(owner)))
    return is_trainers and project.lightning_name(kind) == NO_PROFILER


def _may_be_profiled(project: Project) -> bool:
    """Whether a Trainer may be given a profiler, or have one set."""
    values, instances = values_of(project), Instances(project)
    owners = [owner for owner, name, _ in values.stores() if name in ("profiler", ANY_NAME)]
    if any(isinstance(each, Unknown | Option) or instances.is_trainer(each) for each in owners):
        return True
    given = [values.arguments(call, ()) for call in values.calls_of("Trainer")]
    profilers = [value for each in given if "profiler" in each for value in each["profiler"].values]
    is_open = not given or any(each.unknown for each in given)
    return is_open or not all(_is_none(project, value) for value in profilers)


def _is_none(project: Project, profiler: Value) -> bool:
    if isinstance(profiler, Literal):
        return not profiler.value
    return Instances(project).lightning_names(profiler) == {NO_PROFILER}


def _makes_names(project: Project, call: cst.Call) -> bool:
    """Whether nothing happens when its arguments are made, but that."""
    return all(_makes_values(project, argument) for argument in call.args)


def _makes_values(project: Project, node: cst.CSTNode) -> bool:
    """Whether what is called in it makes values, and nothing else happens."""
    calls, acts = project.index.within(node, cst.Call), project.index.within(node, *ACTING)
    return not acts and all(gives_a_value(project.called(each)) for each in calls)


def _unread_assignment(index: Index, asked: cst.Attribute) -> cst.Assign | None:
    """`connector = trainer._checkpoint_connector`, of which a function makes nothing."""
    statement = index.parent(asked)
    if not (isinstance(statement, cst.Assign) and m.matches(statement, TAKEN)):
        return None
    variable = index.variable(cst.ensure_type(statement.targets[0].target, cst.Name))
    is_known = asked.attr.value in (TRAINER_NAMES | INNER) - trainer_members()
    is_unread = variable is not None and variable.scope.kind == "function" and not variable.uses
    return statement if is_known and is_unread else None
