"""What code asks of the trainer's strategy."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch.distributed as dist
from torch import Tensor

from ..callbacks.callbacks import any_rank, every_rank
from .gathering import gathered
from .ranks import ranks_from_env


class Strategy:
    """How the ranks work together."""

    @property
    def is_global_zero(self) -> bool:
        return ranks_from_env().rank == 0

    @property
    def global_rank(self) -> int:
        return ranks_from_env().rank

    @property
    def local_rank(self) -> int:
        return ranks_from_env().local_rank

    @property
    def world_size(self) -> int:
        return ranks_from_env().world_size

    def barrier(self, name: str | None = None) -> None:
        """Wait for all ranks. Every rank calls this."""
        if dist.is_initialized():
            dist.barrier()

    def unsynced(self) -> AbstractContextManager[None]:
        """For a backward in a hook: only a step's reaches other ranks."""
        return nullcontext()

    def broadcast(self, obj: Any, src: int = 0) -> Any:
        """What one rank has. Every rank calls this."""
        objects = [obj]
        if dist.is_initialized():
            dist.broadcast_object_list(objects, src)
        return objects[0]

    def reduce(self, tensor: Any, group: Any = None, reduce_op: Any = "mean") -> Any:
        """The mean over all ranks, or what else is said, in a tensor's place. Every rank calls this."""
        if not isinstance(tensor, Tensor) or not dist.is_initialized():
            return tensor
        is_mean, operation = reduce_op in ("mean", "avg"), reduce_op
        if isinstance(reduce_op, str):
            operation = getattr(dist.ReduceOp, "SUM" if is_mean else reduce_op.upper())
        dist.all_reduce(tensor, operation, group)
        ranks = dist.get_world_size(group)
        return tensor.copy_(tensor / ranks) if is_mean else tensor

    def all_gather(
        self, tensor: Tensor, group: Any = None, sync_grads: bool = False
    ) -> Tensor:
        """The tensor of each rank, stacked. Every rank calls this."""
        found: Tensor = gathered(tensor, tensor.device, group, sync_grads)
        return found

    def reduce_boolean_decision(self, decision: bool, all: bool = True) -> bool:
        """Whether all ranks say so, or any of them. Every rank calls this."""
        return every_rank(decision) if all else any_rank(decision)
