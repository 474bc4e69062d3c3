"""The search for what makes gradients NaN: `detect_anomaly`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Anomalies(NamedTuple):
    """That they are looked for."""

    is_open: bool  # known only when the script runs


def anomalies(facts: Facts) -> Anomalies | None:
    """None: they are not."""
    return Anomalies(facts.is_expression("detect_anomaly")) if facts.settings.detect_anomaly else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("detect_anomaly"):
        yield ConfigField("detect_anomaly", "bool", "False")


ANOMALIES = Feature(
    "anomalies",
    anomalies,
    ("What makes gradients NaN is looked for.", "setting detect_anomaly"),
    config=_config,
)
