"""Weights that are NaN or infinite, and are saved as they are: `on_nan: go_on`, the default."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...spec.sections.strategy_spec import OnNan
from ..feature import Feature

REPLACED = "NaN or infinite weights replace {last}"
SAVED = "checkpoints have NaN or infinite weights now"


class FiniteWeights(NamedTuple):
    """What is said of them where they are saved."""

    found: str  # whether this rank tells of some, as code
    told: str


def finite_weights(facts: Facts) -> FiniteWeights | None:
    """None: nothing is saved, or none that are not finite."""
    if facts.loaded.spec.on_nan is OnNan.STOP or not (facts.writes_last or facts.dumps):
        return None
    options = facts.loaded.spec.checkpoint
    replaces = facts.writes_last and not facts.dumps and options is not None and options.keep == 1
    told = REPLACED if replaces else SAVED
    if facts.is_sharded:
        return FiniteWeights("not all(map(is_finite, weights))", f"rank {{ranks.rank}}: {told}")
    return FiniteWeights("ranks.rank == 0 and not all(each.isfinite().all() for each in weights)", told)


FINITE_WEIGHTS = Feature(
    "finite_weights",
    finite_weights,
    ("Weights that are saved and not finite are told of.", "spec on_nan"),
)
