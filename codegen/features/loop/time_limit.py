"""A limit by the clock: `max_time`, of which Lightning makes a Timer (13.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class TimeLimit(NamedTuple):
    """That there is one."""


def time_limit(facts: Facts) -> TimeLimit | None:
    """None: training may take as long as it does."""
    return TimeLimit() if facts.settings.max_time is not None else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.settings.max_time is None:
        return
    kind = "timedelta | str | dict[str, int] | None" if facts.own_main else "str"
    value = "None" if facts.is_expression("max_time") else f'"{facts.settings.max_time}"'
    yield ConfigField("max_time", kind, value, "days:hours:minutes:seconds")


TIME_LIMIT = Feature(
    "time_limit",
    time_limit,
    ("Training ends when its time is over.", "setting max_time"),
    config=_config,
)
