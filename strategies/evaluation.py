"""Evaluation mode, and buffers made equal for it."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation without gradients, then each submodule's own mode again."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    with torch.no_grad():
        yield
    for module, training in modes:
        module.training = training


def broadcast_buffers(model: nn.Module) -> None:
    """Give every rank the buffers of rank 0. Every rank calls this."""
    if dist.is_initialized():
        for buffer in model.buffers():
            dist.broadcast(buffer, src=0)
