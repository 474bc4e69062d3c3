"""`last.ckpt` within epochs: `checkpoint.every_n_steps` and `checkpoint.every` of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class StepCheckpoints(NamedTuple):
    """When it is written."""

    due: str  # a condition
    leaves: str  # the same for a run that is told to leave; empty: none is
    asks_first: bool  # whether it does, as checkpoints are written at other times too
    clock: str  # what tells the time, as code; empty: nothing asks
    shares_clock: bool  # with other ranks

    @property
    def leaves_there(self) -> bool:
        """Whether the run leaves after each that is written within an epoch."""
        return bool(self.leaves) and not self.asks_first


def step_checkpoints(facts: Facts) -> StepCheckpoints | None:
    """None: it is written at epochs' ends alone."""
    if not facts.writes_last_within:
        return None
    leaves = " and ".join([*_stepped(facts), "appointments.is_due()"]) if facts.may_leave else ""
    due = " or ".join(_conditions(facts))
    asks_first = bool(leaves and due)
    shares_clock = every(facts) is not None and facts.is_distributed
    return StepCheckpoints(
        f"leaves or {due}" if asks_first else due or leaves,
        leaves,
        asks_first,
        _clock(shares_clock) if every(facts) else "",
        shares_clock,
    )


def every_n_steps(facts: Facts) -> int | None:
    """How many steps lie between two of them; None: steps do not decide."""
    options = facts.loaded.spec.checkpoint
    return options.every_n_steps if options else None


def every(facts: Facts) -> float | None:
    """How many seconds; None: nobody asks for the time."""
    options = facts.loaded.spec.checkpoint
    return options.every.total_seconds() if options and options.every else None


def _clock(is_shared: bool) -> str:
    arguments = "config.checkpoint_every_seconds"
    return f"SharedClock(ranks, {arguments})" if is_shared else f"Clock({arguments})"


def _conditions(facts: Facts) -> Iterator[str]:
    """When it is time, or by steps before the epoch's last batch."""
    if every(facts):
        yield " and ".join([*_stepped(facts), "clock.is_due()"])
    if every_n_steps(facts):
        steps = "global_step % config.checkpoint_every_n_steps == 0"
        more = ["batch_idx + 1 < num_batches"] if facts.is_sized else []
        yield " and ".join([*_stepped(facts), steps, *more])


def _stepped(facts: Facts) -> Iterator[str]:
    """After an optimizer's step, before the end of a stream."""
    if facts.accumulates:
        yield "is_last"
    if not facts.is_sized:
        yield "not is_last_batch"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.writes_last_within and (steps := every_n_steps(facts)):
        yield ConfigField("checkpoint_every_n_steps", "int", str(steps), "optimizer steps")
    if facts.writes_last_within and (seconds := every(facts)):
        yield ConfigField("checkpoint_every_seconds", "float", str(seconds), "within epochs")


STEP_CHECKPOINTS = Feature(
    "step_checkpoints",
    step_checkpoints,
    ("last.ckpt is written within epochs.", "spec checkpoint.every_n_steps"),
    config=_config,
)
