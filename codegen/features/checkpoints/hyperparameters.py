"""The hyperparameters that a checkpoint holds: `save_hyperparameters` (12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.save_hyperparameters import KEYWORDS, saved_hyperparameters
from ..feature import Feature


class Hyperparameters(NamedTuple):
    """How a checkpoint holds them."""

    name: str  # of the constructor's parameter; empty: they are its keywords
    held: str  # by the model
    are_plain: bool
    are_mixed: bool  # with values that a checkpoint cannot hold


def hyperparameters(facts: Facts) -> Hyperparameters | None:
    """None: it holds none."""
    saved = [*map(saved_hyperparameters, facts.served.models)]
    names, are_plain = {each.name for each in saved}, all(each.are_plain for each in saved)
    if names == {None, KEYWORDS} and are_plain:
        return Hyperparameters("", 'getattr(model, "hparams", {})', True, False)
    own = saved_hyperparameters(facts.model)
    if own.name is None:
        return None
    are_plain = are_plain if names == {KEYWORDS} else own.are_plain
    return Hyperparameters(
        "" if own.name == KEYWORDS else own.name, facts.hyperparameters_of("model"), are_plain, not are_plain
    )


HYPERPARAMETERS = Feature(
    "hyperparameters",
    hyperparameters,
    ("What the model adds to its checkpoints.", "method save_hyperparameters"),
)
