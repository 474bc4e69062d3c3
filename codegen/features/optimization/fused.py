"""`optimizer: {fused: true}` of the spec: one kernel for all parameters."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Fused(NamedTuple):
    """Which optimizers are to be fused."""

    several: bool  # as in manual optimization


def fused(facts: Facts) -> Fused | None:
    """None: the optimizer stays as the model makes it."""
    has_optimizer = facts.manual is not None or facts.form.exists
    return Fused(facts.manual is not None) if has_optimizer and facts.loaded.spec.optimizer.fused else None


FUSED = Feature("fused", fused, ("One kernel for all parameters.", "spec optimizer.fused"))
