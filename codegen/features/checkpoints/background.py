"""Checkpoints that are written while training goes on: `checkpoint.async` of the spec."""

from __future__ import annotations

from typing import Literal

from ...facts.facts import Facts
from ..feature import Feature


def background(facts: Facts) -> Literal[True] | None:
    """None: training waits for them."""
    return True if facts.saves_in_background else None


BACKGROUND = Feature(
    "background",
    background,
    ("Checkpoints are written while training goes on.", "spec checkpoint.async"),
)
