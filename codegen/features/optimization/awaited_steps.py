"""Schedulers that watch a metric step after checkpoints of their epoch: a run that goes on makes up for it (7.4)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...lightning import api
from ..data.train_data import last_batch
from ..feature import Feature
from .schedules import Schedules, schedules


class AwaitedSteps(NamedTuple):
    """Where a step is known to come that checkpoints are saved without, and what is noted of it there."""

    name: str  # of the note
    nothing: str  # its value where no step is awaited
    after_batches: str  # empty: none is, from there on
    in_validation: str
    epoch_end: str
    by_step: bool
    by_epoch: bool
    goes_on_within: bool = False  # an epoch, at whose end the step is made

    @property
    def saved(self) -> str:
        """The note, as a checkpoint has it."""
        return f"{self.nothing} if trained else {self.name}" if self.goes_on_within else self.name


def awaited_steps(facts: Facts) -> AwaitedSteps | None:
    """None: checkpoints are saved after them, or there are none."""
    found = schedules(facts)
    if found is None or not facts.dumps or not (found.on_plateau_by_step or found.on_plateau_by_epoch):
        return None
    noted = _noted(facts, found)
    return noted._replace(goes_on_within=facts.saves_within) if noted else None


def _noted(facts: Facts, found: Schedules) -> AwaitedSteps | None:
    if found.are_listed:
        return _of_several(facts, found)
    if found.on_plateau_by_step:
        return _of_batches(found) if facts.validates_inside else None
    return _of_epochs(facts, found)


def _of_batches(found: Schedules) -> AwaitedSteps:
    return AwaitedSteps(
        name="awaits_step",
        nothing="False",
        after_batches="",
        in_validation=_all(found.plateau_due, found.due),
        epoch_end="",
        by_step=True,
        by_epoch=False,
    )


def _of_epochs(facts: Facts, found: Schedules) -> AwaitedSteps:
    due, known = _all(found.plateau_due_after, found.due), _is_known_after_validation(facts)
    if known and not facts.validates_inside:
        return AwaitedSteps(
            name="awaits_step",
            nothing="False",
            after_batches=due,
            in_validation="",
            epoch_end="",
            by_step=False,
            by_epoch=True,
        )
    in_validation = _all(last_batch(facts), found.due) if known else ""
    return AwaitedSteps(
        name="awaits_step",
        nothing="False",
        after_batches="",
        in_validation=in_validation,
        epoch_end=due,
        by_step=False,
        by_epoch=True,
    )


def _of_several(facts: Facts, found: Schedules) -> AwaitedSteps:
    """Which of them is due is found out when the step is made."""
    by_step = '{"step": batch_idx}' if found.on_plateau_by_step and facts.validates_inside else ""
    return AwaitedSteps(
        name="awaited",
        nothing="{}",
        after_batches="",
        in_validation=by_step,
        epoch_end='{"epoch": epoch}',
        by_step=bool(by_step),
        by_epoch=True,
    )


def _all(*conditions: str) -> str:
    """That those of them hold which there are."""
    return " and ".join(filter(None, conditions)) or "True"


def _is_known_after_validation(facts: Facts) -> bool:
    """Whether no value of training's is watched, which is known when the epoch ends."""
    schedule = facts.form.schedule
    logged = facts.logging.among(api.STEP_HOOKS | api.BETWEEN_HOOKS)
    return schedule is not None and all(
        each.call.key not in (None, schedule.monitor, (schedule.monitor or "").removesuffix("_epoch"))
        for each in logged
    )


AWAITED_STEPS = Feature(
    "awaited_steps",
    awaited_steps,
    (
        "Checkpoints are saved before the step of a scheduler that watches a metric.",
        "method configure_optimizers",
    ),
)
