"""How a run goes on within an epoch: with the next batch, and what the epoch has logged."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.within_epochs import changed_in_batches
from ..feature import Feature


class WithinEpoch(NamedTuple):
    """What of the epoch goes on."""

    logs: bool
    counts: bool  # of metrics
    changed: tuple[str, ...]  # of the model's attributes


def within_epoch(facts: Facts) -> WithinEpoch | None:
    """None: a run begins with whole epochs."""
    if not facts.saves_within:
        return None
    logs = facts.logging.in_training
    counts = logs and facts.logging.has_metric_objects
    return WithinEpoch(logs, counts, changed_in_batches(facts))


WITHIN_EPOCH = Feature(
    "within_epoch",
    within_epoch,
    ("A run goes on within an epoch.", "spec checkpoint.every_n_steps"),
)
