"""The data module's hyperparameters in a checkpoint, and what loads data modules from checkpoints (12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.hyperparameters.save_hyperparameters import (
    KEYWORDS,
    may_hold_configurations,
    may_lack_hyperparameters,
    saved_hyperparameters,
    saves_hyperparameters,
)
from ..feature import Feature


class DataHyperparameters(NamedTuple):
    """How it holds them, and what is read of it."""

    is_kept: bool
    name: str  # of the constructor's parameter; empty: they are its keywords
    held: str  # by the data module
    has_objects: bool  # that a checkpoint cannot hold
    may_lack_data: bool  # there are loaders in its place
    saves_any: bool  # one of the project's data modules does
    restores_any: bool  # a state of its own
    holds_configurations: bool  # of OmegaConf's, as dicts and lists

    @property
    def is_without_objects(self) -> bool:
        return self.is_kept and not self.has_objects


def data_hyperparameters(facts: Facts) -> DataHyperparameters | None:
    """None: there are none, and no code asks for them."""
    saved = [saved_hyperparameters(facts.project, each) for each in facts.served.data]
    names = dict.fromkeys(each.name for each in saved)
    if not (facts.loads_data or names.keys() - {None}):
        return None
    lacks = any(may_lack_hyperparameters(facts.project, each) for each in facts.served.data) or (
        facts.own_main is not None and facts.own_main.has_both
    )
    has_objects = not all(each.are_plain for each in saved)
    known = [cls for cls in facts.project.classes.values() if cls.kind == "data"]
    return DataHyperparameters(
        is_kept=bool(names.keys() - {None}),
        name=next((each for each in names if each not in (None, KEYWORDS)), ""),
        held='getattr(data, "hparams", {})' if lacks else facts.hyperparameters_of("data"),
        has_objects=has_objects,
        may_lack_data=lacks,
        saves_any=any(saves_hyperparameters(facts.project, each) for each in known),
        restores_any=any("load_state_dict" in cls.methods for cls in known),
        holds_configurations=has_objects
        and any(may_hold_configurations(facts.project, each) for each in facts.served.data),
    )


DATA_HYPERPARAMETERS = Feature(
    "data_hyperparameters",
    data_hyperparameters,
    ("What the data module adds to checkpoints.", "method save_hyperparameters"),
)
