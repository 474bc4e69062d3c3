"""How a run goes on within an epoch: with the next batch, and what the epoch has logged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.within_epochs import changed_in_batches
from ..feature import Feature
from ..optimization.schedules import schedules


class WithinEpoch(NamedTuple):
    """What of the epoch goes on."""

    logs: bool
    counts: bool  # of metrics
    changed: tuple[str, ...]  # of the model's attributes
    gradients: bool  # of a window of batches
    may_be_over: bool  # but for what follows its last batch
    next_batches: str  # None: those that are left
    tells_last: bool  # and so has to tell that it was the last

    @property
    def place(self) -> str:
        """What a checkpoint has of it, as code."""
        return f"{{{', '.join(self._parts())}}}"

    @property
    def names(self) -> str:
        """The attributes, as code."""
        return f"[{', '.join(map(_quoted, self.changed))}]"

    def conditions(self) -> Iterator[str]:
        """That a checkpoint can hold it."""
        if self.counts:
            yield "can_hold_metrics(train_logs, model)"
        if self.changed:
            yield f"can_hold_changes(model, {self.names})"

    def _parts(self) -> Iterator[str]:
        yield '"batches": train_batches.place(trained)'
        if self.logs:
            yield '"logged": logged_so_far(train_logs)'
        if self.counts:
            yield '"counted": counted_so_far(train_logs, model)'
        if self.changed:
            yield f'"changed": changed_so_far(model, {self.names})'
        if self.gradients:
            yield '"gradients": None if is_last else gradients_so_far(model)'


def _quoted(name: str) -> str:
    return f'"{name}"'


def within_epoch(facts: Facts) -> WithinEpoch | None:
    """None: a run begins with whole epochs."""
    if not facts.saves_within:
        return None
    logs = facts.logging.in_training
    counts = logs and facts.logging.has_metric_objects
    steps = schedules(facts)
    is_told = facts.is_sized or (steps is not None and bool(steps.was_last))
    return WithinEpoch(
        logs=logs,
        counts=counts,
        changed=changed_in_batches(facts),
        gradients=facts.waits_to_save and facts.accumulates and not facts.is_sharded,
        may_be_over=facts.may_save_after_last,
        next_batches=f"iter(()) if {facts.steps_reached} else None" if facts.may_end_epoch_alone else "None",
        tells_last=facts.may_save_after_last and not is_told,
    )


WITHIN_EPOCH = Feature(
    "within_epoch",
    within_epoch,
    ("A run goes on within an epoch.", "spec checkpoint.every_n_steps"),
)
