"""The hyperparameters that a checkpoint holds: `save_hyperparameters` (12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.hyperparameters.save_hyperparameters import (
    KEYWORDS,
    may_lack_hyperparameters,
    saved_hyperparameters,
)
from ..feature import Feature


class Hyperparameters(NamedTuple):
    """How a checkpoint holds them."""

    name: str  # of the constructor's parameter; empty: they are its keywords
    held: str  # by the model
    are_plain: bool
    are_mixed: bool  # with values that a checkpoint cannot hold
    may_be_none: bool = False  # where a main saves them


def hyperparameters(facts: Facts) -> Hyperparameters | None:
    """None: it holds none."""
    saved = [saved_hyperparameters(facts.project, each) for each in facts.served.models]
    names, are_plain = {each.name for each in saved}, all(each.are_plain for each in saved)
    if names == {None, KEYWORDS} and are_plain:
        return Hyperparameters("", 'getattr(model, "hparams", {})', True, False)
    own = saved_hyperparameters(facts.project, facts.model)
    if own.name is None:
        return None
    are_plain = are_plain if names == {KEYWORDS} else own.are_plain
    may_be_none = any(may_lack_hyperparameters(facts.project, each) for each in facts.served.models)
    held = 'getattr(model, "hparams", {})' if may_be_none else facts.hyperparameters_of("model")
    name = "" if own.name == KEYWORDS else own.name
    return Hyperparameters(name, held, are_plain, not are_plain, may_be_none)


HYPERPARAMETERS = Feature(
    "hyperparameters",
    hyperparameters,
    ("What the model adds to its checkpoints.", "method save_hyperparameters"),
)
