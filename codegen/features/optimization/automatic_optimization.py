"""Who steps the optimizers, where an argument of the model's decides: `automatic_optimization`."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class AutomaticOptimization(NamedTuple):
    """What the script was made for; it refuses the other."""

    by_model: bool
    by_script: bool


def automatic_optimization(facts: Facts) -> AutomaticOptimization | None:
    """None: it is the same for all arguments."""
    if not facts.optimizes_by_value:
        return None
    return AutomaticOptimization(facts.manual is not None, facts.manual is None)


AUTOMATIC_OPTIMIZATION = Feature(
    "automatic_optimization",
    automatic_optimization,
    ("An argument decides whether your model steps its optimizers.", "write automatic_optimization"),
)
