"""`strategy: fsdp` of the spec: each rank keeps its share of parameters, gradients and optimizer states (20.4)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...spec.fsdp import FsdpSettings, WrapSettings
from ...spec.sections import SyncMode
from ..feature import Feature


class Fsdp(NamedTuple):
    """How the model is sharded."""

    blocks: str  # modules that are gathered and freed by themselves
    options: str  # of `fully_shard`, for them
    syncs_last: bool  # of the batches of an optimizer step


def fsdp(facts: Facts) -> Fsdp | None:
    """None: each rank has the whole model."""
    if not facts.is_sharded:
        return None
    settings = facts.loaded.spec.fsdp
    once = facts.sync is SyncMode.SINGLE_AUTO_SYNC
    return Fsdp(_blocks(settings.wrap), _options(settings), facts.accumulates and once)


def _blocks(wrap: WrapSettings | None) -> str:
    if wrap is None:
        return "[]"
    if wrap.min_params is not None:
        return f"modules_from(model, min_params={wrap.min_params:_})"
    function, names = ("modules_of", wrap.classes) if wrap.classes else ("modules_at", wrap.modules)
    return f"{function}(model, {', '.join(map(repr, names or ()))})"


def _options(settings: FsdpSettings) -> str:
    reshard = settings.reshard_after_forward
    return "" if reshard is True or settings.wrap is None else f", reshard_after_forward={reshard}"


FSDP = Feature(
    "fsdp",
    fsdp,
    ("Each rank keeps its share of the model.", "spec strategy"),
    {
        "options": ("What is gathered for the forward is kept, or freed.", "spec fsdp.reshard_after_forward"),
        "syncs_last": ("When gradients are averaged over the ranks.", "spec sync"),
    },
)
