"""Layers that work over the batches of several ranks: `layer_sync` of the spec."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.spec_objects import SpecNames
from ...source.definitions import Import
from ..feature import Feature

BATCH_NORM = "nn.SyncBatchNorm.convert_sync_batchnorm"


class LayerSync(NamedTuple):
    """How layers are converted."""

    conversion: str
    is_batch_norm: bool  # torch's, which is for GPUs
    imports: tuple[Import, ...]  # of a function of a library's, or of a module that stays


def layer_sync(facts: Facts) -> LayerSync | None:
    """None: as the Trainer's `sync_batchnorm` says."""
    settings = facts.loaded.spec.layer_sync
    if settings is None or not facts.is_distributed:
        return None
    names = SpecNames(facts.project)
    function = names.class_name(settings.class_path) if settings.class_path else BATCH_NORM
    group = f", neighbours({settings.group_size})" if settings.group_size else ""
    return LayerSync(f"{function}(model{group})", not settings.class_path, tuple(names.imports))


LAYER_SYNC = Feature(
    "layer_sync",
    layer_sync,
    ("Layers work over the batches of several ranks.", "spec layer_sync"),
    {"is_batch_norm": ("Torch has batch norm over several ranks on GPUs alone.", "spec layer_sync")},
)
