"""Gradient accumulation: `accumulate_grad_batches`, GradientAccumulationScheduler (6.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature

COUNT = "config.accumulate_grad_batches"


class Accumulation(NamedTuple):
    """How many batches make an optimizer step."""

    is_fixed: bool
    is_scheduled: bool  # by a callback, from epoch to epoch


def accumulation(facts: Facts) -> Accumulation | None:
    """None: each batch does."""
    if not facts.accumulates:
        return None
    return Accumulation(not facts.schedules_accumulation, facts.schedules_accumulation)


def steps_of(facts: Facts, batches: str) -> str:
    """The number of optimizer steps that so many batches of an epoch make."""
    return f"math.ceil({batches} / {COUNT})" if facts.sets_accumulation else batches


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.settings.accumulates:
        count = facts.settings.accumulate_grad_batches
        default = "1" if facts.is_expression("accumulate_grad_batches") else str(count)
        yield ConfigField("accumulate_grad_batches", "int", default, "batches to an optimizer step")


def _trainer(facts: Facts) -> Mapping[str, str]:
    return {"accumulate_grad_batches": COUNT if facts.sets_accumulation else "1"}


ACCUMULATION = Feature(
    "accumulation",
    accumulation,
    ("Gradients are accumulated over several batches.", "setting accumulate_grad_batches"),
    {"is_scheduled": ("A callback says how many batches make an optimizer step.", "trainer")},
    _config,
    _trainer,
)
