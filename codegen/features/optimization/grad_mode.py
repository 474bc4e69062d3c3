"""Whether gradients are enabled for each batch: the user's code may have left them disabled (6.3)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class GradMode(NamedTuple):
    """In which mode a batch's forward and backward are."""

    context: str  # that enables gradients; empty: they are, or are the user's
    before_step: str  # the same for what is called before an optimizer step


def grad_mode(facts: Facts) -> GradMode:
    """Under manual optimization Lightning leaves it as it is; a closure enables gradients itself."""
    needs_it = facts.sets_grad_mode and facts.manual is None and not facts.uses_closure
    context = "torch.enable_grad()" if needs_it else ""
    calls = facts.calls("on_before_optimizer_step") or facts.has_hook("configure_gradient_clipping")
    return GradMode(context, context if calls and not facts.precision.scales else "")


GRAD_MODE = Feature(
    "grad_mode",
    grad_mode,
    ("Your code sets the mode of gradients: for a batch's step they are enabled.", ""),
)
