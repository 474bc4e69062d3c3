"""What stops training early: `should_stop` of EarlyStopping, Timer or the user's code, and its minima (11.3, 13.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Stopping(NamedTuple):
    """Conditions for the end."""

    before: bool  # whether something may stop training before it starts
    at_start: str  # the same, in a hook at its start; empty: no hook does
    read: str  # of an epoch's batches, for which %s stands
    inside: str  # the batch loop; empty: it is never left
    after_epoch: str


def stopping(facts: Facts) -> Stopping | None:
    """None: nothing stops it."""
    if not facts.may_stop:
        return None
    condition = facts.stop_condition("epoch")
    return Stopping(
        facts.may_stop_before_training,
        condition if facts.may_stop_at_start else "",
        f"itertools.islice(%s, 0 if {condition} else None)" if facts.may_stop_at_epoch_start else "%s",
        condition if facts.stops_inside else "",
        facts.stop_condition("epoch + 1"),
    )


def _config(facts: Facts) -> Iterator[ConfigField]:
    for name in ("min_epochs", "min_steps"):
        if facts.may_stop and facts.is_expression(name):
            yield ConfigField(name, "int | None", "None")


STOPPING = Feature(
    "stopping",
    stopping,
    ("Something may stop training early.", "trainer"),
    {
        "at_start": ("Something may stop training as it starts.", "trainer"),
        "read": ("Something may stop training before an epoch's first batch.", "trainer"),
        "inside": ("Something may stop training within an epoch.", "trainer"),
    },
    _config,
)
