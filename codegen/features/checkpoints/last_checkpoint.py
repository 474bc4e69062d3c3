"""`last.ckpt`, which the script itself keeps: `checkpoint` of the spec (12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature
from ..loop.length import has_max_epochs

WRITING = {
    "file": ("write_checkpoint", "write_kept"),
    "shares": ("write_shares", "write_kept_shares"),
    "background": ("write_in_background", "write_kept_in_background"),
}
"""The functions that write one checkpoint, and that keep those before it."""


class LastCheckpoint(NamedTuple):
    """When it is written."""

    path: str  # as code
    due: str  # a condition; empty: after every epoch
    write: str  # the function that writes it
    by_all: bool  # all ranks call that
    keeps_more: bool  # those before it too

    @property
    def found(self) -> str:
        """Where a run that goes on finds it, as code."""
        return "newest" if self.keeps_more else "last"


def last_checkpoint(facts: Facts) -> LastCheckpoint | None:
    """None: the script keeps none of its own."""
    if not facts.writes_last:
        return None
    due = " or ".join(_conditions(facts)) if _every(facts) > 1 else ""
    keeps_more = _kept(facts) > 1
    by_all = facts.saves_in_background or facts.saves_shares
    return LastCheckpoint(facts.last_path, due, WRITING[_way(facts)][keeps_more], by_all, keeps_more)


def _way(facts: Facts) -> str:
    """How it is written."""
    if facts.saves_in_background:
        return "background"
    return "shares" if facts.saves_shares else "file"


def _every(facts: Facts) -> int:
    options = facts.loaded.spec.checkpoint
    return options.every_n_epochs if options else 1


def _kept(facts: Facts) -> int:
    options = facts.loaded.spec.checkpoint
    return options.keep if options else 1


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
    if facts.writes_last and _kept(facts) > 1:
        yield ConfigField("checkpoint_keep", "int", str(_kept(facts)), "the newest checkpoints that are kept")


LAST_CHECKPOINT = Feature(
    "last_checkpoint",
    last_checkpoint,
    ("last.ckpt is written after each epoch.", "spec checkpoint"),
    {
        "path": ("Each training of a process keeps one.", "spec checkpoint"),
        "due": ("A checkpoint is written every so many epochs.", "spec checkpoint.every_n_epochs"),
        "keeps_more": ("The checkpoints before the last are kept.", "spec checkpoint.keep"),
        "found": ("A run goes on from the newest that is whole.", "spec checkpoint.keep"),
        "write": ("How last.ckpt is written.", "spec checkpoint"),
        "by_all": ("All ranks write to it.", "spec checkpoint"),
    },
    _config,
)
