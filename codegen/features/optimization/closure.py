"""The closure of optimizers that run forward and backward themselves: `optimizer_step`, LBFGS (6.2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Closure(NamedTuple):
    """Forward and backward as a function."""

    tells_outputs: bool  # to `on_train_batch_end`
    prepares: bool  # gradients, after the last backward
    prepares_in_step: bool  # of the optimizer, as `optimizer_step` may call its closure itself
    prepares_before_step: bool  # other than that gradients are unscaled
    prepared: str  # the optimizer that does so
    optimizer: str  # that `optimizer_step` is given


def closure(facts: Facts) -> Closure | None:
    """None: the loop runs forward and backward."""
    if not facts.uses_closure:
        return None
    in_step = facts.prepares_in_step
    tells = facts.calls("on_train_batch_end")
    prepares = facts.prepares_gradients
    return Closure(
        tells,
        not in_step,
        in_step,
        prepares,
        _prepared(facts, "prepare_gradients" if prepares else "lambda: None"),
        "prepared" if in_step else "optimizer",
    )


def _prepared(facts: Facts, function: str) -> str:
    """The optimizer whose steps call a function before they change anything."""
    if facts.precision.scales:
        return f"ScaledOptimizer(optimizer, {function}, scaler)"
    return f"PreparedOptimizer(optimizer, {function})"


CLOSURE = Feature(
    "closure",
    closure,
    ("The optimizer runs forward and backward itself.", "method optimizer_step"),
    {
        "tells_outputs": ("What a hook is told of the step.", "method on_train_batch_end"),
        "prepares": ("What comes before an update, in its closure.", "setting gradient_clip_val"),
        "prepares_in_step": (
            "What comes before an update, in the optimizer's step.",
            "method optimizer_step",
        ),
    },
)
