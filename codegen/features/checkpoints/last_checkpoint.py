"""`last.ckpt`, which the script itself keeps: `checkpoint` of the spec (12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature
from ..loop.length import has_max_epochs


class LastCheckpoint(NamedTuple):
    """When it is written."""

    due: str  # a condition; empty: after every epoch


def last_checkpoint(facts: Facts) -> LastCheckpoint | None:
    """None: the script keeps none of its own."""
    if not facts.writes_last:
        return None
    return LastCheckpoint(" or ".join(_conditions(facts)) if _every(facts) > 1 else "")


def _every(facts: Facts) -> int:
    options = facts.loaded.spec.checkpoint
    return options.every_n_epochs if options else 1


def _conditions(facts: Facts) -> Iterator[str]:
    yield "(epoch + 1) % config.checkpoint_every_n_epochs == 0"
    if has_max_epochs(facts):
        yield "epoch + 1 == config.max_epochs"
    if facts.has_max_steps:
        yield facts.steps_reached
    if facts.may_stop:
        yield "trainer.should_stop"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if _every(facts) > 1:
        yield ConfigField("checkpoint_every_n_epochs", "int", str(_every(facts)))


LAST_CHECKPOINT = Feature(
    "last_checkpoint",
    last_checkpoint,
    ("last.ckpt is written after each epoch.", "spec checkpoint"),
    {"due": ("A checkpoint is written every so many epochs.", "spec checkpoint.every_n_epochs")},
    _config,
)
