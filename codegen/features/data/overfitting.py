"""The same few batches in every epoch: `overfit_batches` (1.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.trainer.replacing import LIMITS
from ...ir.plans import ConfigField
from ..feature import Feature


class Overfitting(NamedTuple):
    """Where that is known when the script runs: the limits that it takes the place of."""

    is_open: bool
    limits: tuple[str, ...]


def overfitting(facts: Facts) -> Overfitting | None:
    """None: all batches are read, in the order that the loaders have."""
    if not facts.settings.overfit_batches:
        return None
    validates = any(each.has_validation for each in facts.everyone)
    limits = tuple(name for name in LIMITS if validates or "train" in name)
    return Overfitting(facts.is_expression("overfit_batches"), limits)


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("overfit_batches"):
        yield ConfigField("overfit_batches", "float", "0.0", "share or number of batches, always the same")


def _trainer(facts: Facts) -> Mapping[str, str]:
    return {"overfit_batches": facts.setting_code("overfit_batches")}


OVERFITTING = Feature(
    "overfitting",
    overfitting,
    ("The same few batches are read in every epoch.", "setting overfit_batches"),
    config=_config,
    trainer=_trainer,
)
