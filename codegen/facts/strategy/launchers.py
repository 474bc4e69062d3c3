"""What code does with what has started processes, with their group, and to clean up behind a run.

A script has torchrun start them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...lightning.api import CALLBACK_HOOKS, EVALUATION_HOOKS, HOOKS, STEPS
from ...values import Instance, Literal, values_of

LAUNCHER = "_SubprocessScriptLauncher"
"""What has started a trainer's other processes, unless torchrun has."""

IS_LAUNCHER = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), star=""), m.Arg()])
KILLING = m.SimpleStatementLine([m.Expr(m.Call(m.Attribute(m.Name(), m.Name("kill"))))])
TAKEN = m.Assign([m.AssignTarget(m.Name())])
ASKED = m.Attribute(m.Attribute(attr=m.Name("strategy")), m.Name("launcher"))
TEARING_DOWN = m.Call(m.Attribute(attr=m.Name("_teardown")), [])

STRATEGY = m.Arg(keyword=m.Name("strategy"))
ASKED_OF_GROUP = frozenset("""
    all_gather all_gather_into_tensor all_gather_object all_reduce barrier broadcast broadcast_object_list get_rank
    get_world_size is_initialized reduce reduce_scatter_tensor
    """.split())
"""Functions of torch.distributed that ask whether there is a group, or need one."""

LEAVING = "torch.distributed.destroy_process_group"

AT_THE_END = frozenset({"on_exception", "teardown"})
"""Hooks after which Lightning itself does that."""


def leaves_group(project: Project) -> bool:
    """Whether code ends the processes' group itself."""
    return any(project.called(each) == LEAVING for each in project.index.of_kind(cst.Call))


def asks_group_of_one(project: Project, trainers: Sequence[cst.Call]) -> bool:
    """Whether code asks for the group that Lightning makes of one process, too, where a strategy is DDP in any case."""
    calls = (project.called(each).rpartition(".") for each in project.index.of_kind(cst.Call))
    is_asked = any(package == "torch.distributed" and name in ASKED_OF_GROUP for package, _, name in calls)
    return is_asked and bool(trainers) and all(_is_ddp(project, each) for each in trainers)


def _is_ddp(project: Project, trainer: cst.Call) -> bool:
    given = [each.value for each in trainer.args if m.matches(each, STRATEGY)]
    found = [value for each in given for value in values_of(project.holding(each)).of(each)]
    return bool(found) and all(
        (isinstance(each, Literal) and str(each.value).startswith("ddp"))
        or (isinstance(each, Instance) and each.lightning == "DDPStrategy")
        for each in found
    )


def killing_branches(project: Project, statements: Iterable[Statement]) -> Iterator[cst.If]:
    """What ends the other processes of a run, where a trainer has started them itself."""
    for each in statements:
        yield from (node for node in project.index.within(each.node, cst.If) if _kills_alone(project, node))


def _kills_alone(project: Project, branching: cst.If) -> bool:
    """Whether it is `if isinstance(launcher, _SubprocessScriptLauncher): launcher.kill(...)`."""
    is_alone = branching.orelse is None and not isinstance(project.index.parent(branching), cst.If)
    if not is_alone or not (isinstance(branching.test, cst.Call) and m.matches(branching.test, IS_LAUNCHER)):
        return False
    kills = all(m.matches(each, KILLING) for each in branching.body.body)
    return kills and project.lightning_name(branching.test.args[1].value) == LAUNCHER


def launcher_taken(project: Project, asked: cst.Attribute) -> cst.Assign | None:
    """`launcher = trainer.strategy.launcher`, of which nothing else is made."""
    index = project.index
    statement = index.ancestor(asked, cst.Assign) if asked.attr.value == "strategy" else None
    if statement is None or not m.matches(statement, TAKEN) or not index.matching(statement, ASKED):
        return None
    variable = index.variable(cst.ensure_type(statement.targets[0].target, cst.Name))
    is_own = variable is not None and variable.scope.is_function and len(variable.bindings) == 1
    is_read = variable is None or not all(_is_in_killing(project, each) for each in variable.uses)
    return statement if is_own and not is_read and not index.within(statement, cst.Call) else None


def _is_in_killing(project: Project, use: cst.CSTNode) -> bool:
    branching = project.index.ancestor(use, cst.If)
    return branching is not None and _kills_alone(project, branching)


def torn_down_again(index: Index, asked: cst.Attribute) -> cst.Call | None:
    """`trainer._teardown()`, of which nothing comes where a run has ended, or is about to."""
    call, function = index.parent(asked), index.function_of(asked)
    if not (isinstance(call, cst.Call) and call.func is asked and m.matches(call, TEARING_DOWN)):
        return None
    name = function.name.value if function is not None and index.class_of(asked) is not None else ""
    is_amid = name in (HOOKS | EVALUATION_HOOKS | STEPS | CALLBACK_HOOKS) - AT_THE_END
    return call if isinstance(index.parent(call), cst.Expr) and not is_amid else None
