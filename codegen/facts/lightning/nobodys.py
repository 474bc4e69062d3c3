"""What code asks trainers for that none has, Lightning's or the script's, which is an error where it runs."""

from __future__ import annotations

import difflib

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index.choices import is_guard
from ...ir.project import Project
from ...lightning import api, lightning_1
from ...lightning.trainer_names import TRAINER_NAMES
from ...runtime.constructed import trainer_members
from ...values import Class as ClassValue
from ...values import Option, Unknown, values_of
from ...values.flow import ANY_NAME
from ..code.instances import Instances
from ..main.run_order import BRANCHES, RunOrder

HOOKS = api.ALL_HOOKS | api.CALLBACK_HOOKS | api.STEPS
"""What Lightning calls, or the script in its place, whatever code calls it too."""


def is_removed(name: str) -> bool:
    """Whether Lightning 1's trainer had it, and Lightning 2's has not."""
    return name in lightning_1.TRAINER_MEMBERS and name not in TRAINER_NAMES


def asked_of_nobody(project: Project, node: cst.Attribute) -> Diagnostic | None:
    """What is said of a member that no trainer has; None: one may have it.

    What Lightning 1 had is told only where it may never be run: elsewhere the code is Lightning 1's.
    """
    name = node.attr.value
    is_old = name in lightning_1.TRAINER_MEMBERS
    if not _no_trainer_has(project, name) or (is_old and not _may_be_passed_over(project, node)):
        return None
    close = difflib.get_close_matches(name, sorted(trainer_members()), n=1, cutoff=0.8)
    instead = lightning_1.TRAINER_MEMBERS.get(name, "")
    return messages.no_trainer_member((project.source, node.attr), name, close, instead)


def _may_be_passed_over(project: Project, node: cst.CSTNode) -> bool:
    """Whether a run may do without coming to a place: it, or all calls of its function, may be left aside."""
    order, seen, waiting = RunOrder(project), set[cst.CSTNode](), [node]
    while waiting:
        place = waiting.pop()
        function = project.index.function_of(place)
        if function in seen or _is_left_aside(order, place, function):
            continue
        callers = order.callers.get(function, []) if function else []
        if function is None or function.name.value in HOOKS or not callers:
            return False
        seen.add(function)
        waiting += callers
    return True


def _is_left_aside(order: RunOrder, place: cst.CSTNode, function: cst.FunctionDef | None) -> bool:
    """Whether the code round a place may be run without it."""
    if function is not None:
        return not order.always_runs(place, function)
    return not all(map(is_guard, order.around(place, BRANCHES)))


def _no_trainer_has(project: Project, name: str) -> bool:
    """Whether neither Lightning's trainer has an attribute nor the code gives it one."""
    if name.startswith("_") or name in TRAINER_NAMES:
        return False
    instances, values = Instances(project), values_of(project)
    if any(
        "Trainer" in values.lightning_bases(ClassValue(each)) for each in project.index.of_kind(cst.ClassDef)
    ):
        return False
    set_of = [owner for owner, each, _ in values.stores() if each in (name, ANY_NAME)]
    return not any(isinstance(each, Unknown | Option) or instances.is_trainer(each) for each in set_of)
