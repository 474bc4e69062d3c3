"""Checkpoints that callbacks, or the user's code, ask for (10, 12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class EpochEnd(NamedTuple):
    """What a variable is that tells whether an epoch's end is still to come, as code."""

    is_saved: str  # in a checkpoint
    before: str  # the batches, what is otherwise bound by them; empty: they are surely left at their end
    at_validation: str  # one that begins among them; empty: none does
    at_end: str  # of them


class Dumping(NamedTuple):
    """What such a checkpoint tells of itself."""

    may_be_weights: bool  # alone
    tells_run: bool  # that torchrun may start again
    next_epoch: str  # with which a run goes on, as code
    within_epoch: str  # a condition: batches of the epoch are left, and none goes on from there; empty: never
    end: EpochEnd | None  # of the epoch, before which a run that is started again goes on from none


def dumping(facts: Facts) -> Dumping | None:
    """None: nothing asks for them."""
    if not facts.dumps:
        return None
    return Dumping(
        may_be_weights=facts.callbacks.may_save_weights,
        tells_run=facts.notes_newest,
        next_epoch="epoch if trained else next_epoch" if facts.saves_within else "next_epoch",
        within_epoch=_within_epoch(facts),
        end=_end(facts) if facts.notes_newest and facts.saves_inside and not facts.saves_within else None,
    )


def _end(facts: Facts) -> EpochEnd:
    left, unbound = _batches_left(facts), "batch_idx = -1" if facts.is_sized else "is_last_batch = True"
    return EpochEnd(
        is_saved="trainer.failed or within_epoch" if "failed" in facts.trainer_fields else "within_epoch",
        before=unbound if facts.may_cut_epochs else "",
        at_validation=left if facts.validates_inside else "",
        at_end=left if facts.may_cut_epochs else "False",
    )


def _within_epoch(facts: Facts) -> str:
    if not facts.saves_inside:
        return ""
    within = f"next_epoch > trainer.current_epoch and {_batches_left(facts)}"
    within = f"trainer.failed or {within}" if "failed" in facts.trainer_fields else within
    return f"not trained and ({within})" if facts.saves_within else within


def _batches_left(facts: Facts) -> str:
    return "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"


DUMPING = Feature(
    "dumping",
    dumping,
    ("Checkpoints are written when callbacks or your code say so.", "spec checkpoint"),
)
