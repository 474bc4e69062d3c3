"""Checkpoints that callbacks, or the user's code, ask for (10, 12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Dumping(NamedTuple):
    """What such a checkpoint tells of itself."""

    may_be_weights: bool  # alone
    tells_run: bool  # that torchrun may start again
    next_epoch: str  # with which a run goes on, as code
    within_epoch: str  # a condition: before an epoch's end, from where none goes on; empty: never


def dumping(facts: Facts) -> Dumping | None:
    """None: nothing asks for them."""
    if not facts.dumps:
        return None
    next_epoch = "epoch if trained else next_epoch" if facts.saves_within else "next_epoch"
    return Dumping(facts.callbacks.may_save_weights, facts.notes_newest, next_epoch, _within_epoch(facts))


def _within_epoch(facts: Facts) -> str:
    if not facts.saves_inside:
        return ""
    within = "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"
    within = f"next_epoch > trainer.current_epoch and {within}"
    within = f"trainer.failed or {within}" if "failed" in facts.trainer_fields else within
    return f"not trained and ({within})" if facts.saves_within else within


DUMPING = Feature(
    "dumping",
    dumping,
    ("Checkpoints are written when callbacks or your code say so.", "spec checkpoint"),
)
