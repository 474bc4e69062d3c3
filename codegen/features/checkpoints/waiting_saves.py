"""What a ModelCheckpoint saves within an epoch: when nothing of the batch is left to be done (5.8, 10.2, 10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature
from ..resuming.within_epoch import within_epoch


class WaitingSaves(NamedTuple):
    """How it says where in the epoch that is."""

    trained: str  # batches, as code


def waiting_saves(facts: Facts) -> WaitingSaves | None:
    """None: nothing waits."""
    if not facts.waits_to_save:
        return None
    conditions = " and ".join(_conditions(facts))
    return WaitingSaves(f"batch_idx + 1 if {conditions} else None" if conditions else "batch_idx + 1")


def _conditions(facts: Facts) -> Iterator[str]:
    """That a run can go on from there; last.ckpt has to hold all that it needs."""
    kept = within_epoch(facts)
    if facts.accumulates and facts.is_sharded:
        yield "is_last"  # no share of a window's gradients is kept
    if kept is not None and not facts.writes_last_within:
        held = " and ".join(kept.conditions())
        yield from [f"every_rank({held})"] if held else []


WAITING_SAVES = Feature(
    "waiting_saves",
    waiting_saves,
    ("A ModelCheckpoint saves by steps or by time, for a run to go on from there.", "name ModelCheckpoint"),
)
