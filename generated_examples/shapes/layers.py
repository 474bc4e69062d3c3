"""Layers that are not the same on one rank as on many."""

import torch
from torch import nn


def synced(model: nn.Module) -> None:
    """Make batch norm be over the batches of all ranks, where torch has that: on GPUs."""
    if torch.accelerator.is_available():
        nn.SyncBatchNorm.convert_sync_batchnorm(model)
