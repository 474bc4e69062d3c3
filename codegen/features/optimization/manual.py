"""Manual optimization: the model steps its optimizers itself, and the script counts their steps (14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.optimizers.manual import ManualForm
from ...facts.optimizers.objects import Shape
from ...spec.trainer_settings import DEFAULTS, OF_AUTOMATIC_OPTIMIZATION
from ..feature import Feature

IN_STEP = frozenset({"on_before_backward", "on_after_backward", "on_before_optimizer_step"})
"""Hooks of callbacks that are called while the model steps its optimizers."""


class IdleSetting(NamedTuple):
    """A setting whose value is known when the script runs, and may have no effect then."""

    name: str
    is_used: str  # a condition


class Manual(NamedTuple):
    """What the model does with its optimizers."""

    shape: Shape  # of what configure_optimizers returns
    has_schedulers: bool
    wraps: bool  # the script has a class of its own for them
    kind: str  # that class
    has_hooks: bool  # that the model sets, round the steps of an optimizer
    toggles_model: bool  # by a method of that class
    shares: bool  # gradients, with other ranks
    scales: bool  # losses
    has_backward_hooks: bool
    has_own_backward: bool  # a hook in the place of the loss's `backward`
    has_step_hook: bool
    of_callbacks: frozenset[str]  # their hooks round the backward and the step
    steps_outside: bool  # of the training step too, where no steps are counted
    counts_batches: bool
    tells_batches: bool  # callbacks, while they are done
    listed: str  # the schedulers, as callbacks read them
    idle: tuple[IdleSetting, ...]
    is_swapped: bool  # for others, as the training begins


def manual(facts: Facts) -> Manual | None:
    """None: the script steps the one optimizer that there is."""
    form = facts.manual
    if form is None:
        return None
    return Manual(
        shape=form.shape,
        has_schedulers=form.has_schedulers,
        wraps=form.wraps,
        kind="HookedOptimizer" if form.has_hooks else "ManualOptimizer",
        has_hooks=form.has_hooks,
        toggles_model=form.toggles_model,
        shares=facts.is_ddp,
        scales=facts.precision.scales,
        has_backward_hooks=facts.has_hook("on_before_backward") or facts.has_hook("on_after_backward"),
        has_own_backward=facts.has_hook("backward"),
        has_step_hook=facts.has_hook("on_before_optimizer_step"),
        of_callbacks=IN_STEP & facts.callbacks.hooks,
        steps_outside=form.steps_outside,
        counts_batches=step_count(facts) == "batches_done",
        tells_batches=tells_batches(facts),
        listed=_listed(form),
        idle=tuple(_idle(facts)),
        is_swapped=form.is_swapped,
    )


def _idle(facts: Facts) -> Iterator[IdleSetting]:
    for name, most in OF_AUTOMATIC_OPTIMIZATION.items():
        if facts.is_expression(name):
            value = f"config.{name}" if getattr(DEFAULTS, name) is not None else f"(config.{name} or {most})"
            yield IdleSetting(name, f"{value} > {most}")


def _listed(form: ManualForm) -> str:
    if form.shape is Shape.UNKNOWN:
        return "schedules"
    return "[NamedSchedule(each) for each in schedulers]" if form.has_schedulers else "[]"


def tells_batches(facts: Facts) -> bool:
    """Whether a callback wants to know, while batches follow each other, how many are done."""
    return facts.manual is not None and facts.callbacks.given("LearningRateMonitor")


def step_count(facts: Facts) -> str:
    """The variable whose steps values are logged under: in manual optimization, Lightning counts batches."""
    writes = facts.writers or facts.writes_evaluations or "batches_done" in facts.trainer_fields
    return "batches_done" if facts.manual and writes else "global_step"


MANUAL = Feature(
    "manual",
    manual,
    ("Your model steps its optimizers itself.", "write automatic_optimization"),
    {
        "shape": (
            "What configure_optimizers returns, read as Lightning reads it.",
            "method configure_optimizers",
        ),
        "is_swapped": ("What code makes of the optimizers as the training begins.", "method on_fit_start"),
    },
)
