"""When gradients are averaged over the ranks: Composer's three modes, one context manager each."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def single_auto_sync(step: nn.Module, is_last: bool) -> AbstractContextManager[None]:
    """Average gradients in the last backward of an optimizer step alone."""
    if is_last or not isinstance(step, DistributedDataParallel):
        return nullcontext()
    return step.no_sync()


def own_auto_sync(step: Any, is_last: bool) -> AbstractContextManager[None]:
    """Have your wrapper average gradients in the last backward of an optimizer step alone."""
    if is_last or not hasattr(step, "no_sync"):  # one process has no wrapper
        return nullcontext()
    context: AbstractContextManager[None] = step.no_sync()
    return context


def multi_auto_sync(step: nn.Module, is_last: bool) -> AbstractContextManager[None]:
    """Average gradients in every backward: more traffic, and no unshared gradients."""
    return nullcontext()


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
        step.require_forward_param_sync = True  # the next forward shares the buffers


def average_gradients(step: nn.Module) -> None:
    """All-reduce the gradients of all parameters that a rank used. Every rank calls this."""
    parameters = [each for each in step.parameters() if each.requires_grad]
    has_gradient = [parameter.grad is not None for parameter in parameters]
    users = torch.tensor(has_gradient, dtype=torch.int32)
    device = next(step.parameters()).device
    # none waits for the device here, and below only those that miss a gradient
    users = users.to(device, non_blocking=True)
    dist.all_reduce(users)
    for parameter in parameters:
        if parameter.grad is None:
            # a rank that left one out would mix up the gradients of all that follow
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()
    if not all(has_gradient):
        for parameter, count in zip(parameters, users.tolist(), strict=True):
            parameter.grad = parameter.grad if count else None
