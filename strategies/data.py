"""Loaders split over the ranks, and batches brought to the device."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
)

from .randomness import seed_worker
from .ranks import Ranks

T = TypeVar("T")


# ---- splitting -------------------------------------------------------------------------------------------


def shard(loader: DataLoader[Any], ranks: Ranks, shuffle: bool, seed: int) -> DataLoader[Any]:
    """Have each rank read its own share of the dataset, in a new order every epoch where it shuffles."""
    if ranks.world_size == 1:
        return loader
    sampler: Sampler[Any] = DistributedSampler(loader.dataset, ranks.world_size, ranks.rank, shuffle, seed)
    return with_sampling(loader, batch_size=loader.batch_size, sampler=sampler, drop_last=loader.drop_last)


def shard_any(loader: DataLoader[Any], ranks: Ranks, shuffle: bool, seed: int) -> DataLoader[Any]:
    """Have each rank read its own share, unless the dataset or its sampler sees to that."""
    own = isinstance(loader.dataset, IterableDataset) or isinstance(loader.sampler, DistributedSampler)
    if own or ranks.world_size == 1:
        return loader
    ordered = not isinstance(loader.sampler, RandomSampler | SequentialSampler)
    split = DistributedOrder if ordered else DistributedSampler
    source: Any = loader.sampler if ordered else loader.dataset
    sampler: Sampler[Any] = split(source, ranks.world_size, ranks.rank, shuffle, seed)
    if loader.batch_size is not None or loader.batch_sampler is None:
        return with_sampling(loader, batch_size=loader.batch_size, sampler=sampler, drop_last=loader.drop_last)
    if not hasattr(loader.batch_sampler, "sampler"):
        raise SystemExit("the batch sampler has no attribute `sampler`, so its samples cannot be split over ranks")
    batch_sampler = copy(loader.batch_sampler)
    batch_sampler.sampler = sampler
    return with_sampling(loader, batch_sampler=batch_sampler)


class DistributedOrder(DistributedSampler[Any]):
    """Another sampler's order, split over the ranks."""

    def __iter__(self) -> Iterator[Any]:
        order = list(self.dataset)  # type: ignore[call-overload]  # here the dataset is a sampler
        return (order[index] for index in super().__iter__())

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        if hasattr(self.dataset, "set_epoch"):
            self.dataset.set_epoch(epoch)


def with_sampling(loader: DataLoader[Any], **sampling: Any) -> DataLoader[Any]:
    """The same loader with other sampling."""
    return type(loader)(
        loader.dataset,
        num_workers=loader.num_workers,
        collate_fn=loader.collate_fn,
        pin_memory=loader.pin_memory,
        timeout=loader.timeout,
        worker_init_fn=loader.worker_init_fn,
        multiprocessing_context=loader.multiprocessing_context,
        generator=loader.generator,
        prefetch_factor=loader.prefetch_factor,
        persistent_workers=loader.persistent_workers,
        in_order=loader.in_order,
        **sampling,
    )


def seed_workers(loader: DataLoader[Any], ranks: Ranks) -> DataLoader[Any]:
    """Give the loader's workers random numbers of their own, unless it has a `worker_init_fn`."""
    loader.worker_init_fn = loader.worker_init_fn or partial(seed_worker, rank=ranks.rank)
    return loader


def set_epoch(loader: DataLoader[Any], epoch: int) -> None:
    """Have samplers that order by epoch give this epoch's order."""
    for sampler in (loader.sampler, getattr(loader.batch_sampler, "sampler", None)):
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(epoch)


# ---- batches ---------------------------------------------------------------------------------------------


def lookahead(batches: Iterable[T]) -> Iterator[tuple[T, bool]]:
    """Each batch, and whether it is the last; the next one is fetched to know."""
    iterator = iter(batches)
    try:
        batch = next(iterator)
    except StopIteration:
        return
    for following in iterator:
        yield batch, False
        batch = following
    yield batch, True


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with everything in it that has a `to`, such as tensors, on `device`; the rest as it is."""
    if isinstance(batch, Tensor):
        return batch.to(device, non_blocking=device.type == "cuda")
    if hasattr(batch, "to"):
        return batch.to(device)
    if is_dataclass(batch) and not isinstance(batch, type):
        moved = copy(batch)
        for field in fields(batch):
            setattr(moved, field.name, to_device(getattr(batch, field.name), device))
        return moved
    if isinstance(batch, Mapping):
        items = {key: to_device(item, device) for key, item in batch.items()}
        if isinstance(batch, defaultdict):
            return defaultdict(batch.default_factory, items)
        return type(batch)(items)  # type: ignore[call-arg]  # mappings are made from mappings
    if isinstance(batch, Sequence) and not isinstance(batch, str | bytes):
        moved_items = [to_device(item, device) for item in batch]
        return type(batch)(*moved_items) if hasattr(batch, "_fields") else type(batch)(moved_items)  # type: ignore[call-arg]
    return batch


def first_tensor(batch: Any) -> Tensor | None:
    """The first tensor in a batch of any nesting."""
    if isinstance(batch, Tensor):
        return batch
    if isinstance(batch, Mapping):
        batch = batch.values()
    elif is_dataclass(batch) and not isinstance(batch, Iterable):
        batch = [getattr(batch, field.name) for field in fields(batch)]
    elif isinstance(batch, str) or not isinstance(batch, Iterable):
        return None
    return next((found for item in batch if (found := first_tensor(item)) is not None), None)


def batch_size_of(batch: Any) -> int:
    """The length of the batch's first tensor, by which its values weigh in the epoch's means."""
    tensor = first_tensor(batch)
    if tensor is None:
        raise ValueError("no tensor in the batch says how large it is: give self.log() a batch_size")
    return len(tensor) if tensor.ndim else 1
