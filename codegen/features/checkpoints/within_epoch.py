"""How a run goes on within an epoch: with the next batch, and what the epoch has logged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.within_epochs import changed_in_batches
from ..feature import Feature


class WithinEpoch(NamedTuple):
    """What of the epoch goes on."""

    logs: bool
    counts: bool  # of metrics
    changed: tuple[str, ...]  # of the model's attributes
    may_be_over: bool  # but for what follows its last batch

    @property
    def place(self) -> str:
        """What a checkpoint has of it, as code."""
        return f"{{{', '.join(self._parts())}}}"

    def _parts(self) -> Iterator[str]:
        yield '"batches": train_batches.place(trained)'
        if self.logs:
            yield '"logged": logged_so_far(train_logs)'
        if self.counts:
            yield '"counted": counted_so_far(train_logs, model)'
        if self.changed:
            names = ", ".join(f'"{name}"' for name in self.changed)
            yield f'"changed": changed_so_far(model, [{names}])'


def within_epoch(facts: Facts) -> WithinEpoch | None:
    """None: a run begins with whole epochs."""
    if not facts.saves_within:
        return None
    logs = facts.logging.in_training
    counts = logs and facts.logging.has_metric_objects
    options = facts.loaded.spec.checkpoint
    by_time = options is not None and options.every is not None
    return WithinEpoch(logs, counts, changed_in_batches(facts), facts.may_leave or by_time)


WITHIN_EPOCH = Feature(
    "within_epoch",
    within_epoch,
    ("A run goes on within an epoch.", "spec checkpoint.every_n_steps"),
)
