"""A watch on the progress of all ranks: `failures.hang_timeout` of the spec."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Hanging(NamedTuple):
    """After how long without a batch a rank hangs."""

    timeout: str  # seconds


def hanging(facts: Facts) -> Hanging | None:
    """None: a rank that waits for ever is not noticed."""
    failures = facts.loaded.spec.failures
    if failures is None or failures.hang_timeout is None:
        return None
    return Hanging(f"{failures.hang_timeout.total_seconds():g}")


HANGING = Feature(
    "hanging",
    hanging,
    ("Ranks that hang say where, and end.", "spec failures.hang_timeout"),
)
