"""`optimizer: {zero: true}` of the spec: each rank keeps its share of the optimizer's states."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Zero(NamedTuple):
    """How the states are shared out."""

    several: bool  # optimizers, as in manual optimization
    options: str  # of ZeroRedundancyOptimizer


def zero(facts: Facts) -> Zero | None:
    """None: each rank keeps all states."""
    settings = facts.loaded.spec.optimizer.zero
    if settings is None or not (facts.manual or facts.form.exists):
        return None
    options = (f", {name}={value!r}" for name, value in settings.arguments().items())
    return Zero(facts.manual is not None, "".join(options))


ZERO = Feature("zero", zero, ("Each rank keeps its share of the optimizer's states.", "spec optimizer.zero"))
