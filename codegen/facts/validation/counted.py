"""Whether it is sure that validation is counted in optimizer steps, where code has Lightning's loop count them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ..facts import Facts
from ..main.run_order import BRANCHES, RunOrder
from .replaced import ReplacedCheck


def check_counted(facts: Facts) -> Iterator[Diagnostic]:
    """Functions in the place of Lightning's that decide otherwise, where they may, or may not, be asked."""
    for each in facts.replaced_checks:
        if facts.has_validation and (reason := _why_not(facts, each)):
            yield messages.check_uncounted((facts.project.source, each.node), reason)


def _why_not(facts: Facts, check: ReplacedCheck) -> str:
    """What stands in the way; empty: nothing does."""
    if check.due is None:
        return ""  # of which more is said
    if facts.settings.validates_by_time and not check.due.knows_time:
        return "it knows no time as `val_check_interval`, and here that is one"
    if check.due.by_steps and facts.may_ignore_epochs:
        return "a run alone knows if `check_val_every_n_epoch` is None; give the Trainer the one or the other"
    if not facts.validates_over_steps:
        return ""
    if not all(each.by_steps for each in facts.replaced_checks):
        return "another function is put in the same place, by which batches are counted"
    return (
        ""
        if _is_sure(facts, check)
        else "not every `fit` surely comes after it, of the trainer that it is set of"
    )


def _is_sure(facts: Facts, check: ReplacedCheck) -> bool:
    """Whether it is asked wherever a model is trained."""
    order, main = RunOrder(facts.project), facts.own_main
    if main is None:
        is_of_module = facts.project.index.function_of(check.node) is None
        return is_of_module and not order.around(check.node, BRANCHES)
    calls = [fit.node for fit in main.every_fit]
    return all(order.runs_first(check.node, call) and _is_its(facts, check, call) for call in calls)


def _is_its(facts: Facts, check: ReplacedCheck, fit: cst.Call) -> bool:
    """Whether a call is of the trainer of which it is set, of two that there may be."""
    index, main, trainer = facts.project.index, facts.own_main, check.trainer
    if trainer is None or main is None:
        return True
    receiver = fit.func.value if isinstance(fit.func, cst.Attribute) else None
    if isinstance(trainer, cst.Name) and isinstance(receiver, cst.Name):
        bindings = index.bindings(trainer)
        return len(bindings) == 1 and index.bindings(receiver) == bindings
    return len(main.trainers) == 1 and RunOrder(facts.project).is_run_once(main.trainers[0])
