"""What code asks trainers for that none has, Lightning's or the script's, which is an error where it runs."""

from __future__ import annotations

import difflib

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...lightning import lightning_1
from ...lightning.trainer_names import TRAINER_NAMES
from ...runtime.constructed import trainer_members
from ...values import Class as ClassValue
from ...values import Option, Unknown, values_of
from ...values.flow import ANY_NAME
from ..code.instances import Instances
from ..main.run_order import BRANCHES, RunOrder


def asked_of_nobody(project: Project, node: cst.Attribute) -> Diagnostic | None:
    """What is said of a member that no trainer has; None: one may have it.

    What Lightning 1 had is told where it may never be run alone: elsewhere the code is Lightning 1's.
    """
    name = node.attr.value
    is_old = name in lightning_1.TRAINER_MEMBERS
    if not _no_trainer_has(project, name) or (is_old and not _may_be_passed_over(project, node)):
        return None
    close = difflib.get_close_matches(name, sorted(trainer_members()), n=1, cutoff=0.8)
    instead = lightning_1.TRAINER_MEMBERS.get(name, "")
    return messages.no_trainer_member((project.source, node.attr), name, close, instead)


def _may_be_passed_over(project: Project, node: cst.Attribute) -> bool:
    """Whether the code round a place may be run without it."""
    order, function = RunOrder(project), project.index.function_of(node)
    return not order.always_runs(node, function) if function else bool(order.around(node, BRANCHES))


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
