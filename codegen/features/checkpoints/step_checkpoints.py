"""`last.ckpt` within epochs: `checkpoint.every_n_steps` of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.within_epochs import changed_in_batches
from ...ir.plans import ConfigField
from ..feature import Feature


class StepCheckpoints(NamedTuple):
    """When it is written, and what it says of the place in the epoch."""

    due: str  # a condition
    place: str


def step_checkpoints(facts: Facts) -> StepCheckpoints | None:
    """None: it is written at epochs' ends alone."""
    if not facts.saves_within:
        return None
    return StepCheckpoints(" and ".join(_conditions(facts)), f"{{{', '.join(_parts(facts))}}}")


def _conditions(facts: Facts) -> Iterator[str]:
    """After an optimizer's step, before the epoch's last batch."""
    if facts.accumulates:
        yield "is_last"
    yield "global_step % config.checkpoint_every_n_steps == 0"
    yield "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"


def _parts(facts: Facts) -> Iterator[str]:
    yield '"batches": train_batches.place(trained)'
    if facts.logging.in_training:
        yield '"logged": logged_so_far(train_logs)'
    if facts.logging.has_metric_objects and facts.logging.in_training:
        yield '"counted": counted_so_far(train_logs, model)'
    if changed := changed_in_batches(facts):
        names = ", ".join(f'"{name}"' for name in changed)
        yield f'"changed": changed_so_far(model, [{names}])'


def _config(facts: Facts) -> Iterator[ConfigField]:
    options = facts.loaded.spec.checkpoint
    if facts.saves_within and options and options.every_n_steps:
        steps = str(options.every_n_steps)
        yield ConfigField("checkpoint_every_n_steps", "int", steps, "optimizer steps")


STEP_CHECKPOINTS = Feature(
    "step_checkpoints",
    step_checkpoints,
    ("last.ckpt is written within epochs.", "spec checkpoint.every_n_steps"),
    config=_config,
)
