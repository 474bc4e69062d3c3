"""The states of random numbers, and of loaders' own generators: what a resumed run draws (3.7, D5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.facts import Facts
from ..feature import Feature
from ..validation.when_made import loader_begins_as_none


class Randomness(NamedTuple):
    """How states are kept."""

    of_ranks: bool  # each has its own
    fails_alone: bool  # a rank that has failed may be the only one that saves
    hooks_draw: bool  # as training starts
    generators: str  # the loaders that may draw from generators of their own


def randomness(facts: Facts) -> Randomness:
    """How states are kept."""
    return Randomness(
        facts.is_distributed,
        "failed" in facts.trainer_fields,
        facts.may_draw("on_train_start"),
        ", ".join(_with_generators(facts)),
    )


def _with_generators(facts: Facts) -> Iterator[str]:
    if facts.train.has_generator:
        yield "*train_loader.loaders" if facts.train.together else "train_loader"
    if facts.has_validation and facts.val and facts.val.has_generator:
        together = "*val_loader.loaders" if facts.val.together else "val_loader"
        several = "*(val_loaders or ())" if loader_begins_as_none(facts) else "*val_loaders"
        yield several if facts.has_several(VALIDATE) else together


RANDOMNESS = Feature(
    "randomness",
    randomness,
    ("A resumed run draws the random numbers that it would have drawn.", "spec checkpoint"),
)
