"""What cannot be looked at for NaN: `on_nan` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.sections.strategy_spec import OnNan
from ..facts import Facts


def check_on_nan(facts: Facts) -> Iterator[Diagnostic]:
    """By who steps the optimizer, and whether all ranks have the same gradients."""
    spec = facts.loaded.spec
    if spec.on_nan is OnNan.GO_ON:
        return
    asked = {
        "automatic_optimization": facts.manual,
        "optimizer_step": facts.uses_closure,
        "configure_optimizers": not facts.manual and not facts.form.exists,
        "precision": facts.precision.scales,
        "strategy": facts.is_sharded or facts.is_planned or facts.loaded.is_given("model_parallel"),
        "local_sgd": spec.ddp.local_sgd,
        "join": facts.joins,
        "zero": spec.optimizer.zero and spec.on_nan is OnNan.SKIP,
    }
    for name, is_asked in asked.items():
        if is_asked:
            yield messages.not_with_on_nan(facts.loaded.key_place("on_nan"), name)
