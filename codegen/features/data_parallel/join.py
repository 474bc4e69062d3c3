"""Epochs in which ranks have different numbers of batches: `ddp.join` of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Join(NamedTuple):
    """What an epoch's batches are read in, and what all ranks go on with."""

    context: str
    shared: str  # what has states, beside parameters and buffers


def join(facts: Facts) -> Join | None:
    """None: all ranks have as many batches."""
    settings = facts.loaded.spec.ddp.join
    if settings is None or not facts.joins:
        return None
    options = "".join(f", {name}={value}" for name, value in settings.arguments().items())
    return Join(f"joined(step{options})", f"[{', '.join(_shared(facts))}]")


def _shared(facts: Facts) -> Iterator[str]:
    """The variables that hold them."""
    form = facts.form
    if form.exists:
        yield "optimizer"
    if not form.is_sure:
        yield "*(schedule.scheduler for schedule in schedules)"
    elif form.schedule:
        yield "scheduler"
    if facts.precision.scales:
        yield "scaler"
    if facts.callbacks.has_state:
        yield "*trainer.callbacks"


JOIN = Feature(
    "join",
    join,
    ("Ranks may have different numbers of batches.", "spec ddp.join"),
)
