"""The first of several ranks, the others of which do not exist: nothing that is sent arrives anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

OPERATIONS: dict[str, Callable[[Any], float]] = {
    "allreduce_": lambda arguments: 2 * size(arguments[0]),
    "broadcast_": lambda arguments: size(arguments[0]),
    "_allgather_base_": lambda arguments: size(arguments[0]),
    "allgather_": lambda arguments: size(arguments[0]),
    "_reduce_scatter_base_": lambda arguments: size(arguments[1]),
    "reduce_scatter_": lambda arguments: size(arguments[1]),
}
"""Of which bytes a rank sends (ranks - 1) / ranks where they go round in a ring, as NCCL has them do."""


def size(tensors: Any) -> int:
    """The bytes of tensors, in lists or not."""
    return sum(each.numel() * each.element_size() for each in tree_iter(tensors) if isinstance(each, Tensor))


class Sent(TorchDispatchMode):  # type: ignore[no-untyped-call]  # its __init_subclass__
    """Counts the bytes that this rank sends."""

    bytes = 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kind, _, name = func._schema.name.partition("::")
        if kind == "c10d" and name in OPERATIONS:
            groups = [each for each in args if isinstance(each, torch.ScriptObject)]
            ranks = next((_ranks_of(each) for each in groups if _is_group(each)), dist.get_world_size())
            self.bytes += OPERATIONS[name](args) * (ranks - 1) / ranks
        return func(*args, **kwargs or {})


def _is_group(held: torch.ScriptObject) -> bool:
    return "ProcessGroup" in held._type().qualified_name()


def _ranks_of(group: torch.ScriptObject) -> int:
    return dist.ProcessGroup.unbox(group).size()


class Replica(nn.Module):
    """Stands for DistributedDataParallel, whose reducer reads its tensors: as many bytes in memory, and sent."""

    def __init__(
        self,
        module: nn.Module,
        *,
        gradient_as_bucket_view: bool = False,
        broadcast_buffers: bool = True,
        forward_sync_buffers: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.module = module
        self.takes_place = gradient_as_bucket_view
        self.sends_buffers = broadcast_buffers if forward_sync_buffers is None else forward_sync_buffers
        self.averages = True
        ignored = getattr(module, "_ddp_params_and_buffers_to_ignore", ())
        own = [each for name, each in module.named_parameters() if name not in ignored]
        # torch lays several gradients into one bucket: as many bytes
        self.buckets = {each: torch.empty_like(each) for each in own if each.requires_grad}
        for each in self.buckets:
            each.register_post_accumulate_grad_hook(self._arrived)  # type: ignore[no-untyped-call]  # torch's

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.sends_buffers and self.averages:
            for buffer in self.module.buffers():
                dist.broadcast(buffer, src=0)
        return self.module(*args, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Keep gradients to this rank."""
        before, self.averages = self.averages, False
        try:
            yield
        finally:
            self.averages = before

    def _arrived(self, parameter: nn.Parameter) -> None:
        bucket = self.buckets[parameter]
        if self.averages:
            dist.all_reduce(bucket)
            if self.takes_place:
                parameter.grad = bucket


@contextmanager
def fake_world(ranks: int) -> Iterator[None]:
    """Programs that start in the meantime are the first of so many ranks."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    begin, divide = dist.init_process_group, dist.new_group

    def join(*args: Any, **kwargs: Any) -> None:
        begin("fake", store=FakeStore(), rank=0, world_size=ranks)

    def meet(*args: Any, **kwargs: Any) -> Iterator[tuple[Any, int, int]]:
        yield FakeStore(), 0, ranks

    def group(*args: Any, backend: Any = None, **kwargs: Any) -> Any:
        return divide(*args, **kwargs)  # of the same backend: no other would find the ranks

    places = {"RANK": 0, "LOCAL_RANK": 0, "GROUP_RANK": 0, "WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks}
    names = {name: str(place) for name, place in places.items()} if ranks > 1 else {}
    with (
        patch.dict(os.environ, names),
        patch("torch.distributed.rendezvous", meet),
        patch("torch.distributed.init_process_group", join),
        patch("torch.distributed.new_group", group),
        patch("torch.nn.parallel.DistributedDataParallel", Replica),
    ):
        yield
