"""The hyperparameters that a checkpoint holds: `save_hyperparameters` (12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.save_hyperparameters import saved_hyperparameters
from ..feature import Feature


class Hyperparameters(NamedTuple):
    """How a checkpoint holds them."""

    name: str  # of the constructor's parameter; empty: they are its keywords
    are_plain: bool
    are_mixed: bool  # with values that a checkpoint cannot hold


def hyperparameters(facts: Facts) -> Hyperparameters | None:
    """None: it holds none."""
    saved = saved_hyperparameters(facts.model)
    if not saved.name:
        return None
    return Hyperparameters(saved.name if saved.name != "kwargs" else "", saved.are_plain, not saved.are_plain)


HYPERPARAMETERS = Feature(
    "hyperparameters",
    hyperparameters,
    ("What the model adds to its checkpoints.", "method save_hyperparameters"),
)
