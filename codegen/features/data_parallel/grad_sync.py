"""When gradients are averaged over the ranks: `strategy`, `sync` and `ddp` of the spec (6.2, 15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...facts.facts import Facts
from ...spec.sections.microbatch import AUTO
from ...spec.sections.strategy_spec import SyncMode
from ..feature import Feature


class GradSync(NamedTuple):
    """What the model's steps are called through."""

    has_ranks: bool  # several
    wraps: bool  # in DistributedDataParallel
    step: str  # the module whose forward is the model's step
    options: str  # of DistributedDataParallel
    context: str  # of a batch's forward and backward; empty: none is needed
    shares: bool  # gradients, in each backward of manual optimization
    releases: bool  # what shares them, before the process group goes
    begins_alike: bool  # though nothing shares gradients


def grad_sync(facts: Facts) -> GradSync:
    """When gradients are averaged over the ranks."""
    step = "ModelStep" if facts.has_validation and not facts.joins else "TrainingStep"
    shares = facts.manual is not None and "shared" in facts.trainer_fields
    return GradSync(
        has_ranks=facts.is_distributed,
        wraps=facts.wraps_steps,
        step=step,
        options=_options(_arguments(facts, shares)),
        context=_context(facts),
        shares=shares,
        releases="shared" in facts.trainer_fields,
        begins_alike=facts.trains_apart,
    )


def _arguments(facts: Facts, shares: bool) -> Mapping[str, Any]:
    arguments = facts.loaded.spec.ddp.arguments()
    if shares and "broadcast_buffers" not in arguments:
        return {**arguments, "forward_sync_buffers": False}  # once training goes on, they are each rank's own
    return arguments


def _options(arguments: Mapping[str, Any]) -> str:
    """DistributedDataParallel's options, as they are passed on."""
    return "".join(f", {name}={value!r}" for name, value in arguments.items())


def _context(facts: Facts) -> str:
    if facts.wraps_steps and facts.microbatch:
        return _context_of_part(facts)
    if not facts.wraps_steps or not (facts.accumulates or facts.sync is SyncMode.FORCED_SYNC):
        return ""
    return f"{_mode(facts, facts.sync)}(step, {'is_last' if facts.accumulates else 'is_last=True'})"


def _mode(facts: Facts, sync: SyncMode) -> str:
    """The function of a mode; a wrapper of the user's own may be any module."""
    is_own = facts.loaded.spec.ddp.wrapper is not None and sync is SyncMode.SINGLE_AUTO_SYNC
    return "own_auto_sync" if is_own else sync.value


def _context_of_part(facts: Facts) -> str:
    """Ranks may have different numbers of parts: they meet in the last of a batch alone."""
    is_every = facts.sync is SyncMode.MULTI_AUTO_SYNC
    mode = SyncMode.SINGLE_AUTO_SYNC if is_every else facts.sync
    conditions = ["is_last_part"]
    if facts.accumulates and not is_every:
        conditions.insert(0, "is_last")
    if facts.microbatch and facts.microbatch.size == AUTO:
        conditions.insert(0, "search.is_over")
    return f"{_mode(facts, mode)}(step, {' and '.join(conditions)})"


GRAD_SYNC = Feature(
    "grad_sync",
    grad_sync,
    ("Gradients are averaged over the ranks.", "spec strategy"),
    {"context": ("When gradients are averaged over the ranks.", "spec sync")},
)
