"""The hyperparameters that a checkpoint holds: `save_hyperparameters` (12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.hyperparameters.save_hyperparameters import (
    KEYWORDS,
    may_hold_configurations,
    may_lack_hyperparameters,
    saved_hyperparameters,
)
from ...facts.model.load_from_checkpoint import reads_objects
from ..feature import Feature


class Hyperparameters(NamedTuple):
    """How a checkpoint holds them."""

    name: str  # of the constructor's parameter; empty: they are its keywords
    held: str  # by the model
    are_plain: bool
    are_mixed: bool  # with values that a checkpoint cannot hold
    may_be_none: bool = False  # where a main saves them
    are_whole: bool = False  # with objects, as the user's code adds some, and runs what is in a checkpoint
    holds_configurations: bool = False  # of OmegaConf's, as dicts and lists

    @property
    def keeps_all(self) -> bool:
        return self.are_plain or self.are_whole


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
    are_whole = not are_plain and facts.may_hold_objects and reads_objects(facts.project)
    are_mixed = not (are_plain or are_whole)
    holds = are_mixed and any(may_hold_configurations(facts.project, each) for each in facts.served.models)
    return Hyperparameters(name, held, are_plain, are_mixed, may_be_none, are_whole, holds)


HYPERPARAMETERS = Feature(
    "hyperparameters",
    hyperparameters,
    ("What the model adds to its checkpoints.", "method save_hyperparameters"),
)
