"""Epochs in which ranks have different numbers of batches."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from ..checkpoints.randomness import gather_from_ranks
from ..distributed.ranks import Ranks
from .local_sgd import on_cpu


def joined(step: Any, **options: bool) -> AbstractContextManager[Any]:
    """Where a rank that has no batches left takes part in the collectives of the others. Every rank calls this."""
    if not isinstance(step, DistributedDataParallel):
        return nullcontext()
    context: AbstractContextManager[Any] = step.join(**options)
    return context


def share_last(count: int, steps: int, states: Sequence[Any], ranks: Ranks) -> int:
    """After so many batches, have all ranks go on with what the last one has, and its steps. Every rank calls this."""
    counts = gather_from_ranks(count, ranks)
    if ranks.world_size > 1 and 0 in counts:
        raise SystemExit(f"rank {counts.index(0)} has no batch in this epoch")
    if len(set(counts)) == 1:
        return steps
    # of several torch takes the same one, for parameters and buffers
    last = max(range(len(counts)), key=lambda rank: (counts[rank], rank))
    shared: list[Any] = [steps, *(None for _ in states)]
    if ranks.rank == last:
        shared = [steps, *(on_cpu(each.state_dict()) for each in states)]
    dist.broadcast_object_list(shared, last)
    if ranks.rank != last:
        for each, state in zip(states, shared[1:], strict=True):
            each.load_state_dict(state)
    return int(shared[0])
