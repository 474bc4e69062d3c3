"""What stops training early: `should_stop` of EarlyStopping, Timer or the user's code, and its minima (11.3, 13.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Stopping(NamedTuple):
    """Conditions for the end."""

    inside: str  # the batch loop; empty: it is never left
    after_epoch: str


def stopping(facts: Facts) -> Stopping | None:
    """None: nothing stops it."""
    if not facts.may_stop:
        return None
    inside = facts.stop_condition("epoch") if facts.stops_inside else ""
    return Stopping(inside, facts.stop_condition("epoch + 1"))


def _config(facts: Facts) -> Iterator[ConfigField]:
    for name in ("min_epochs", "min_steps"):
        if facts.may_stop and facts.is_expression(name):
            yield ConfigField(name, "int | None", "None")


STOPPING = Feature(
    "stopping",
    stopping,
    ("Something may stop training early.", "trainer"),
    {"inside": ("Something may stop training within an epoch.", "trainer")},
    _config,
)
