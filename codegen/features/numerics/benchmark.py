"""cuDNN's search for its fastest kernels: `benchmark` (1.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Benchmark(NamedTuple):
    """Whether it is asked for."""

    is_open: bool  # known only when the script runs
    is_on: bool


def benchmark(facts: Facts) -> Benchmark | None:
    """None: torch decides."""
    value = facts.settings.benchmark
    return Benchmark(facts.is_expression("benchmark"), value) if value is not None else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("benchmark"):
        yield ConfigField("benchmark", "bool | None", "None", of_training=False)


BENCHMARK = Feature(
    "benchmark", benchmark, ("cuDNN looks for its fastest kernels.", "setting benchmark"), config=_config
)
