"""A wrapper of the user's own in the place of DistributedDataParallel: `ddp.wrapper` of the spec."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.spec_objects import SpecNames
from ...source.definitions import Import
from ...spec.init_args.values import made_round
from ...spec.sections.strategy_spec import SyncMode
from ..feature import Feature


class Wrapper(NamedTuple):
    """What the model's steps are wrapped in."""

    made: str  # the code that makes it
    waits: bool  # in batches that are not the last of their optimizer step
    imports: tuple[Import, ...]  # of a library's class, or of a module that stays


def wrapper(facts: Facts) -> Wrapper | None:
    """None: DistributedDataParallel wraps them."""
    settings = facts.loaded.spec.ddp.wrapper if facts.wraps_steps else None
    if settings is None:
        return None
    names = SpecNames(facts.project)
    made = made_round("step", settings, names)
    return Wrapper(made, _waits(facts), tuple(names.imports))


def _waits(facts: Facts) -> bool:
    """Whether there are backwards that average no gradients."""
    return facts.microbatch is not None or (facts.accumulates and facts.sync is SyncMode.SINGLE_AUTO_SYNC)


WRAPPER = Feature(
    "wrapper",
    wrapper,
    ("A wrapper of your own averages gradients.", "spec ddp.wrapper"),
)
