"""The same bits in every run: `deterministic` (1.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Determinism(NamedTuple):
    """Whether it is asked for."""

    is_open: bool  # known only when the script runs
    is_on: bool
    only_warns: bool


def determinism(facts: Facts) -> Determinism | None:
    """None: it is not."""
    value, is_open = facts.settings.deterministic, facts.is_expression("deterministic")
    return Determinism(is_open, not is_open, value == "warn") if value else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("deterministic"):
        yield ConfigField("deterministic", "bool | str | None", "None", of_training=False)


DETERMINISM = Feature(
    "determinism", determinism, ("The same bits in every run.", "setting deterministic"), config=_config
)
