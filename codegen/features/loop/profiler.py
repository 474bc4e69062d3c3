"""What operations cost, as torch measures it: `profiler`."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Profiler(NamedTuple):
    """It is asked for."""


def profiler(facts: Facts) -> Profiler | None:
    """None: nothing is measured."""
    return Profiler() if facts.settings.profiler is not None else None


PROFILER = Feature("profiler", profiler, ("torch measures what operations cost.", "setting profiler"))
