"""Ranks that end together, with the first failure's cause: `failures` of the spec (13.3)."""

from __future__ import annotations

from typing import Literal

from ...facts.facts import Facts
from ..feature import Feature


def ending(facts: Facts) -> Literal[True] | None:
    """None: each rank reports as Python does, and torchrun ends the others."""
    return True if facts.loaded.spec.failures and facts.is_distributed else None


ENDING = Feature(
    "ending", ending, ("The cause of a failure is told once, and all ranks end.", "spec failures")
)
