"""Batch norm over the batches of all ranks: `sync_batchnorm` (20.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class SyncBatchNorm(NamedTuple):
    """That layers are converted."""

    is_open: bool  # known only when the script runs


def sync_batchnorm(facts: Facts) -> SyncBatchNorm | None:
    """None: each rank normalizes its own batch."""
    is_asked = facts.is_distributed and facts.settings.sync_batchnorm and not facts.loaded.spec.layer_sync
    return SyncBatchNorm(facts.is_expression("sync_batchnorm")) if is_asked else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if (found := sync_batchnorm(facts)) and found.is_open:
        yield ConfigField("sync_batchnorm", "bool", "False")


SYNC_BATCHNORM = Feature(
    "sync_batchnorm",
    sync_batchnorm,
    ("Batch norm is over the batches of all ranks.", "setting sync_batchnorm"),
    config=_config,
)
