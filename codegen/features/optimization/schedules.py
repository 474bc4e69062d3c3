"""Schedulers: when they step (7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.optimizers.form import Schedule
from ..data.train_data import last_batch
from ..feature import Feature


class Schedules(NamedTuple):
    """The schedulers, and which of the places where one may step are theirs."""

    by_step: bool
    by_epoch: bool
    by_epoch_inside: bool  # the batch loop
    by_epoch_after: bool  # it
    on_plateau_by_step: bool
    on_plateau_by_epoch: bool
    are_listed: bool  # read when the script runs, which finds out there when each steps
    by_hook: bool  # `lr_scheduler_step` of the model's
    take_step: str  # what steps one of those that are listed
    metric: str  # that the scheduler watches
    due: str  # a condition of the schedule's own; empty: whenever its place comes
    plateau_due: str  # a condition for the step of those that watch a metric
    plateau_due_after: str
    skips_to_last: bool  # batch, for those that watch a metric, where the rest of an epoch is skipped
    was_last: str  # whether an epoch without batches has had its last; empty: all have some


def schedules(facts: Facts) -> Schedules | None:
    """None: there are none."""
    form, by_hook = facts.form, facts.has_hook("lr_scheduler_step")
    places = _places(facts)
    if facts.manual or not places:
        return None
    schedule = form.schedule if form.is_sure else None
    watches = schedule is not None and schedule.on_plateau
    metric = f"monitored(latest, {schedule.monitor!r})".replace("'", '"') if schedule and watches else ""
    by_epoch = "after epoch" in places
    cut = facts.may_cut_epochs
    watches_epochs = "plateau epoch" in places
    return Schedules(
        by_step="after step" in places,
        by_epoch=by_epoch,
        by_epoch_inside=by_epoch and facts.ends_epoch_inside,
        by_epoch_after=by_epoch and not facts.ends_epoch_inside,
        on_plateau_by_step="plateau step" in places,
        on_plateau_by_epoch=watches_epochs,
        are_listed=not form.is_sure,
        by_hook=by_hook,
        take_step="model.lr_scheduler_step" if by_hook else "step_scheduler",
        metric=metric or ("None" if by_hook else ""),
        due=" and ".join(_conditions(schedule)) if schedule else "",
        plateau_due="is_last" if facts.accumulates else "",
        plateau_due_after=last_batch(facts) if cut else "",
        skips_to_last=cut and watches_epochs,
        was_last=_was_last(facts) if cut and not facts.is_sized and watches_epochs else "",
    )


def _was_last(facts: Facts) -> str:
    return "first_batch > 0" if facts.may_save_after_last else "False"


def _places(facts: Facts) -> frozenset[str]:
    form = facts.form
    if not form.is_sure:
        intervals = ["epoch", "step"] if form.may_be_by_step else ["epoch"]
        kinds = ["after", "plateau"] if form.may_be_plateau else ["after"]
        return frozenset(f"{kind} {interval}" for kind in kinds for interval in intervals)
    if form.schedule is None:
        return frozenset()
    return frozenset({f"{'plateau' if form.schedule.on_plateau else 'after'} {form.schedule.interval}"})


def _conditions(schedule: Schedule) -> Iterator[str]:
    if schedule.frequency > 1:
        index = "batch_idx" if schedule.interval == "step" else "epoch"
        yield f"({index} + 1) % {schedule.frequency} == 0"
    if schedule.on_plateau and not schedule.strict:
        yield f'"{schedule.monitor}" in latest'


SCHEDULES = Feature(
    "schedules",
    schedules,
    ("Schedulers step.", "method configure_optimizers"),
    {
        "by_epoch_after": ("Schedulers step at an epoch's end.", "method configure_optimizers"),
        "plateau_due": (
            "Schedulers that watch a metric step once it is known.",
            "method configure_optimizers",
        ),
        "was_last": ("An epoch may be without batches.", "loader train_dataloader"),
    },
)
