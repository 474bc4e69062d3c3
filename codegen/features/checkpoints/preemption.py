"""Runs that are told to leave, by a scheduler or by hand: `preemption` of the spec (13.2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Preemption(NamedTuple):
    """By what they are told, and how they leave."""

    signals: str
    grace: str  # seconds
    exit_code: int
    requeues: bool


def preemption(facts: Facts) -> Preemption | None:
    """None: a signal just ends the run."""
    settings = facts.loaded.spec.preemption
    if settings is None:
        return None
    names = ", ".join(f'"{each.value}"' for each in settings.signals)
    return Preemption(
        f"[{names}]", f"{settings.grace.total_seconds():g}", settings.exit_code, settings.requeue
    )


PREEMPTION = Feature(
    "preemption",
    preemption,
    ("A run that is told to leave saves after the next step.", "spec preemption"),
)
