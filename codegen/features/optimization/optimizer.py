"""The optimizer: what `configure_optimizers` returns, read, saved and restored (2.3, 6.8)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.lightning.checkpoint_parts import SCHEDULERS, STATES, may_empty
from ...facts.optimizers.objects import Shape
from ..feature import Feature


class Optimizer(NamedTuple):
    """The one optimizer of automatic optimization, with its schedulers."""

    exists: bool
    is_scaled: bool  # its steps are taken by what scales the losses
    shape: Shape  # of what configure_optimizers returns
    has_scheduler: bool
    has_options: bool  # of the scheduler, in a dict with it
    has_schedules: bool  # known only when the script runs
    listed: str  # `configure_optimizers` returns, as callbacks read it
    is_bare: bool  # not wrapped, so that its options are those of its class
    is_swapped: bool  # for another, as the training begins
    is_renewed: bool  # where a hook asks for it
    state_if: str  # a condition, as code may take it out of a checkpoint; empty: it is there
    schedule_if: str  # the same of the scheduler's

    @property
    def names(self) -> tuple[str, ...]:
        """What `configure_optimizers` gives `fit`."""
        if self.has_schedules:
            return ("optimizer", "schedules")
        return ("optimizer", "scheduler") if self.has_scheduler else ("optimizer",)


def optimizer(facts: Facts) -> Optimizer | None:
    """None: the model steps its optimizers itself."""
    if facts.manual:
        return None
    form = facts.form
    is_read, schedule = not form.is_sure, form.schedule if form.is_sure else None
    listed = "schedules" if is_read else f"[{schedule.listed}]" if schedule else "[]"
    return Optimizer(
        exists=form.exists,
        is_scaled=facts.precision.scales,
        shape=form.shape,
        has_scheduler=schedule is not None,
        has_options=form.has_options,
        has_schedules=is_read,
        listed=listed,
        is_bare=form.exists and not _is_wrapped(facts),
        is_swapped=form.exists and form.is_swapped,
        is_renewed=form.is_renewed,
        state_if="" if facts.saves_shares else _if_there(facts, STATES),
        schedule_if=_if_there(facts, SCHEDULERS),
    )


def _if_there(facts: Facts, part: str) -> str:
    return f'checkpoint["{part}"]' if may_empty(facts.project, part) else ""


def _is_wrapped(facts: Facts) -> bool:
    spec = facts.loaded.spec
    return (
        facts.form.is_swapped
        or facts.is_sharded
        or spec.optimizer.zero is not None
        or facts.shares_out
        or spec.ddp.local_sgd is not None
    )


OPTIMIZER = Feature(
    "optimizer",
    optimizer,
    ("What configure_optimizers returns, read as Lightning reads it.", "method configure_optimizers"),
    {
        "is_renewed": ("A hook has the optimizer made anew.", "method configure_optimizers"),
        "is_swapped": ("What code makes of the optimizer as the training begins.", "method on_fit_start"),
    },
)
