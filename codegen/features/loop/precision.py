"""Precision: `precision`; a script computes in full precision (6.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


@dataclass(frozen=True)
class Precision:
    """It is known only when the script runs, which refuses any other."""


def precision(facts: Facts) -> Precision | None:
    """None: it is the full one."""
    return Precision() if facts.is_expression("precision") else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("precision"):
        yield ConfigField("precision", "str | int | None", "None", of_training=False)


PRECISION = Feature(
    "precision", precision, ("A script computes in full precision.", "setting precision"), config=_config
)
