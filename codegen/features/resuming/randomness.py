"""The states of random numbers, and of loaders' own generators: what a resumed run draws (3.7, D5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.facts import Facts
from ...ir.project import Project
from ...source.loaded import BY_LIGHTNING, is_standard
from ..feature import Feature
from ..validation.when_made import loader_begins_as_none


class Randomness(NamedTuple):
    """How states are kept."""

    of_ranks: bool  # each has its own
    fails_alone: bool  # a rank that has failed may be the only one that saves
    hooks_draw: bool  # as training starts
    generators: str  # the loaders that may draw from generators of their own
    imports_later: bool  # packages, by functions that run behind the seed


def randomness(facts: Facts) -> Randomness:
    """How states are kept."""
    return Randomness(
        facts.is_distributed,
        "failed" in facts.trainer_fields,
        facts.may_draw("on_train_start"),
        ", ".join(_with_generators(facts)),
        _imports_later(facts.project),
    )


def _imports_later(project: Project) -> bool:
    """Whether branches or functions import what Lightning has not imported, which may import `rich` for its part."""
    tops = {each.module.partition(".")[0] for each in project.inner_imports if not each.is_local}
    return any(not (is_standard(top) or top in BY_LIGHTNING) for top in tops)


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
