"""When the validation loader is made: as soon as validation needs it, and not before (2.6, 8.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.facts import Facts
from ..data.loaders import names_of, validation_given
from .validation_timing import validated_by_now


class WhenMade(NamedTuple):
    """Where the loop makes it; at first it is None where a run alone knows."""

    early: bool  # before the trial run, whether there is one or not
    tried: bool  # in the trial run
    ready: bool  # once the training loader is made
    ready_if: str  # a condition for that; empty: in any case
    late: str  # a condition for it before a validation; empty: it is there
    waits: bool  # may be None at first


def when_made(facts: Facts) -> WhenMade | None:
    """Where a run would show that it is made at another time, as with random numbers, else in the plainest place."""
    if not facts.has_validation or facts.val is None:
        return None
    steps, is_open = facts.settings.num_sanity_val_steps, facts.is_expression("num_sanity_val_steps")
    may_not_be = is_open or facts.is_expression("limit_val_batches")
    is_tried, skips = is_open or steps != 0, facts.settings.skips_validation
    if not facts.val.computes or not (may_not_be or (skips and not is_tried)):
        is_early = is_tried and (may_not_be or facts.saves_within)
        return WhenMade(is_early, is_tried and not is_early, not is_tried, "", "", False)
    is_none = f"{names_of(facts, VALIDATE, 'val_loader')[0]} is None"
    ready = is_open or not is_tried or facts.saves_within
    conditions = [*([is_none] if is_tried else []), *_needed(facts)]
    return WhenMade(
        False, is_tried, ready, " and ".join(conditions), is_none if ready and skips else "", True
    )


def loader_begins_as_none(facts: Facts) -> bool:
    """Whether the loop has to say so of the validation loader, which may never be made, or late."""
    made, loader = when_made(facts), facts.val
    if made is None or loader is None:
        return False
    is_saved = loader.has_generator and facts.has_several(VALIDATE) and bool(validation_given(facts))
    return loader.may_lack or made.waits or is_saved


def _needed(facts: Facts) -> Iterator[str]:
    """What has to hold for Lightning to make it as training starts."""
    if facts.is_expression("limit_val_batches"):
        yield "config.limit_val_batches != 0"
    if is_due := validated_by_now(facts):
        yield is_due
