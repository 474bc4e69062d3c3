"""Evaluation: an example, when it is due by the clock, the same weights everywhere."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch.distributed as dist
from torch import nn

from ..callbacks.callbacks import any_rank, in_seconds


def try_example(model: Any, example: Any) -> None:
    """A forward that shows shapes elsewhere: it makes lazy layers, and may draw random numbers."""
    if isinstance(example, dict):
        model(**example)
    elif isinstance(example, list | tuple):
        model(*example)
    elif example is not None:
        model(example)


@dataclass
class ValidationClock:
    """Tells when so much time has passed since it was started, or started again."""

    interval: timedelta | str | dict[str, int]

    def __post_init__(self) -> None:
        self.seconds = in_seconds(self.interval)
        self.restart()

    def restart(self) -> None:
        self.started = time.monotonic()

    def is_due(self) -> bool:
        """Whether rank 0's clock says so. Every rank calls this."""
        is_main = not dist.is_initialized() or dist.get_rank() == 0
        is_late = time.monotonic() - self.started >= self.seconds
        return any_rank(is_main and is_late)


def share_states(model: nn.Module) -> None:
    """Give every rank the weights and buffers of rank 0. Every rank calls this."""
    if dist.is_initialized():
        for tensor in (*model.parameters(), *model.buffers()):
            dist.broadcast(tensor.detach(), src=0)
