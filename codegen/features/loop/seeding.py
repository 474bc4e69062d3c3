"""The seed of the script's own `main`: `seed_everything` (3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


@dataclass(frozen=True)
class Seeding:
    """It is an option."""


def seeding(facts: Facts) -> Seeding | None:
    """None: numbers are drawn as they come."""
    return Seeding() if facts.has_seed else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.seed is not None and not facts.own_main:
        yield ConfigField("seed", "int", str(facts.seed))


SEEDING = Feature("seeding", seeding, ("Random numbers are the same in every run.", "seed"), config=_config)
