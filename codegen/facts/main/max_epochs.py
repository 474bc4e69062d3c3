"""Trainers whose `fit_loop.max_epochs` a main sets, so that another `fit` goes on from where they have come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ..code.literals import code_of
from ..facts import Facts
from .own_main import OwnMain

NAME = "max_epochs"
COMPLETED = "completed_epochs"


def epochs_rewrites(index: Index, main: OwnMain) -> Iterator[tuple[cst.BaseExpression, str]]:
    """What the main asks and sets of a Trainer's epochs is its configuration's."""
    for node in main.epochs_asked:
        whole = index.parent(node) if node.attr.value == "fit_loop" else node
        if isinstance(whole, cst.Attribute):
            yield whole, f"{code_of(node.value)}.config.{NAME}"
    for target in main.epochs_set:
        loop = cst.ensure_type(target.value, cst.Attribute)
        yield target, f"{code_of(loop.value)}.config.{NAME}"


def check_going_on(facts: Facts) -> Iterator[Diagnostic]:
    """What Lightning's Trainer goes on from, and the script's does not keep."""
    main = facts.own_main
    if main is None or not main.goes_on:
        return
    for reason in _lost(facts):
        yield messages.goes_on_from((facts.project.source, (*main.epochs_set, *main.again)[0]), reason)


def check_epochs_set(facts: Facts) -> Iterator[Diagnostic]:
    """Where code sets how many epochs are completed, of which a run alone knows whether that many are."""
    asked = [facts.usage.counterparts, facts.data_usage.counterparts]
    asked += [facts.own_main.counterparts] if facts.own_main else []
    for node in dict.fromkeys(node for each in asked for node, name in each.items() if name == COMPLETED):
        yield messages.completed_epochs_set((facts.project.source, node))


def _lost(facts: Facts) -> Iterable[str]:
    chosen = facts.settings
    counts_batches = chosen.ignores_epochs or facts.may_ignore_epochs
    counts_batches = counts_batches or "total_batch_idx" in facts.trainer_fields
    found = {
        "the batches that it has counted": facts.manual is not None or counts_batches,
        "its optimizer steps, which `max_steps` limits": facts.has_max_steps,
        "the time that it has taken": facts.limits_time,
        "its loaders, up to the epoch in which they are made anew": bool(
            chosen.reload_dataloaders_every_n_epochs
        ),
        "the average of its weights": facts.callbacks.averages_late,
        "no number of epochs": chosen.max_epochs in (None, -1) and not facts.is_expression(NAME),
    }
    return [reason for reason, is_so in found.items() if is_so]
