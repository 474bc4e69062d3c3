"""When gradients are averaged over the ranks: Composer's three modes, one context manager each."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


@contextmanager
def single_auto_sync(step: nn.Module, is_last: bool) -> Iterator[None]:
    """Average gradients in the last backward of an optimizer step alone."""
    if is_last or not isinstance(step, DistributedDataParallel):
        yield
    else:
        with step.no_sync():
            yield


@contextmanager
def multi_auto_sync(step: nn.Module, is_last: bool) -> Iterator[None]:
    """Average gradients in every backward: more traffic, and no unshared gradients."""
    yield


@contextmanager
def forced_sync(step: nn.Module, is_last: bool) -> Iterator[None]:
    """Average gradients after an optimizer step's last backward, used or not."""
    if not isinstance(step, DistributedDataParallel):
        yield
        return
    with step.no_sync():
        yield
    if is_last:
        average_gradients(step)


def average_gradients(step: nn.Module) -> None:
    """All-reduce every gradient, in a fixed order. Every rank calls this."""
    for parameter in step.parameters():
        if not parameter.requires_grad:
            continue
        if parameter.grad is None:
            # a rank that left one out would mix up the gradients of all that follow
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()
