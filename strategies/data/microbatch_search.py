"""How large the parts of a batch may be for the memory that there is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from ..callbacks.callbacks import any_rank
from ..checkpoints.randomness import gather_from_ranks, rng_state, set_rng_state
from ..data.microbatches import split_batch
from ..data_parallel.grad_sync import average_gradients
from ..distributed.ranks import Ranks


class MicrobatchSearch:
    """The size of parts for which all ranks have memory: halved on all of them together."""

    # Without memory in DistributedDataParallel's backward, a rank would leave the others
    # waiting there. So the ranks agree after each batch, and average gradients then, until
    # two optimizer steps are done: the second has the optimizer's states in memory.

    def __init__(self, step: nn.Module, ranks: Ranks) -> None:
        self.step = step
        self.ranks = ranks
        self.size = 0  # until the first batch tells
        self.steps_left = 2
        self.has_failed = False

    @property
    def is_over(self) -> bool:
        return self.steps_left == 0

    def sizes(self, batch: Any, ends_step: bool) -> Iterator[int]:
        """Sizes to try a batch with, until all ranks have memory. Every rank calls this."""
        if self.is_over:
            yield self.size
            return
        if not self.size:
            self.size = max(gather_from_ranks(samples_in(batch), self.ranks))
        kept = TrainingState(self.step)
        yield self.size
        while any_rank(self.has_failed):
            if self.size == 1:
                raise SystemExit("a rank has no memory for a single sample")
            self.size = (self.size + 1) // 2
            self.has_failed = False
            kept.restore()
            yield self.size
        if ends_step:
            self.steps_left -= 1
            if isinstance(self.step, DistributedDataParallel):
                average_gradients(self.step)
                self.step.require_forward_param_sync = True  # shares the buffers

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Note that this rank has no memory for what is done here."""
        try:
            yield
        except torch.OutOfMemoryError:
            if self.is_over:
                raise
            self.has_failed = True


class TrainingState:
    """What a forward and a backward change of a model, and of random numbers."""

    def __init__(self, step: nn.Module) -> None:
        self.step = step
        self.shares_buffers: Any = getattr(step, "require_forward_param_sync", None)
        self.buffers = [buffer.clone() for buffer in step.buffers()]
        self.random = rng_state()
        self.gradients = [  # where there is memory for them
            None if each.grad is None else each.grad.to("cpu", copy=True)
            for each in step.parameters()
        ]

    def restore(self) -> None:
        for parameter, gradient in zip(
            self.step.parameters(), self.gradients, strict=True
        ):
            if gradient is None:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.copy_(gradient)
        for buffer, value in zip(self.step.buffers(), self.buffers, strict=True):
            buffer.copy_(value)
        set_rng_state(self.random)
        if isinstance(self.step, DistributedDataParallel):
            self.step.require_forward_param_sync = self.shares_buffers
        torch.cuda.empty_cache()


def samples_in(batch: Any) -> int:
    """How many rows its tensors have."""
    ((_, count),) = split_batch(batch, 2**62)
    return count
