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
    options: str  # the ranks, and what `fully_shard` is told for these modules
    recomputed: str  # classes of modules that the backward computes anew, as code
    syncs_last: bool  # of the batches of an optimizer step


def fsdp(facts: Facts) -> Fsdp | None:
    """None: each rank has the whole model."""
    if not facts.is_sharded:
        return None
    settings = facts.loaded.spec.fsdp
    once = facts.sync is SyncMode.SINGLE_AUTO_SYNC
    recomputed = ", ".join(map(repr, settings.activation_checkpointing))
    return Fsdp(_blocks(settings.wrap), _options(settings), recomputed, facts.accumulates and once)


def _blocks(wrap: WrapSettings | None) -> str:
    if wrap is None:
        return "[]"
    if wrap.min_params is not None:
        return f"modules_from(model, min_params={wrap.min_params:_})"
    function, names = ("modules_of", wrap.classes) if wrap.classes else ("modules_at", wrap.modules)
    return f"{function}(model, {', '.join(map(repr, names or ()))})"


def _options(settings: FsdpSettings) -> str:
    mesh = f"mesh_of_several(device, {settings.replicate})" if settings.replicate else "mesh_of_one(device)"
    reshard = settings.reshard_after_forward
    is_plain = reshard is True or settings.wrap is None
    return mesh if is_plain else f"{mesh}, reshard_after_forward={reshard}"


FSDP = Feature(
    "fsdp",
    fsdp,
    ("Each rank keeps its share of the model.", "spec strategy"),
    {
        "options": ("What is gathered for the forward is kept, or freed.", "spec fsdp.reshard_after_forward"),
        "recomputed": ("What is computed anew in the backward.", "spec fsdp.activation_checkpointing"),
        "syncs_last": ("When gradients are averaged over the ranks.", "spec sync"),
    },
)
