"""Loaders split over the ranks, and batches brought to the device."""

import itertools
import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from inspect import signature
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.distributed_c10d import _get_default_store
from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
)

from ..checkpoints.randomness import gather_from_ranks, seed_worker
from ..distributed.ranks import Ranks
from ..sharding.meshes import readers_of
from .batch_samplers import made_anew

T = TypeVar("T")

ENDS: list[str] = []


# ---- splitting -------------------------------------------------------------------------------------------


def shard(loader: Any, ranks: Ranks, shuffle: bool, seed: int = 0) -> Any:
    """Have each rank read its own share, in a new order every epoch where it shuffles."""
    if ranks.world_size > 1:
        place = ranks.world_size, ranks.rank
        loader, batches = copy(loader), copy(loader.batch_sampler)
        batches.sampler = DistributedSampler(loader.dataset, *place, shuffle, seed)
        vars(loader).update(sampler=batches.sampler, batch_sampler=batches)
        loader._iterator = None  # workers that are kept have the order before
    return loader


def require_even_batches(count: int, ranks: Ranks) -> None:
    """Stop where a rank has fewer batches than others, who would wait for it. Every rank calls this."""
    counts = gather_from_ranks(count, ranks)
    if len(set(counts)) > 1:
        found = ", ".join(f"{each} on rank {rank}" for rank, each in enumerate(counts))
        raise SystemExit(
            f"ranks have different numbers of batches ({found}): limit_train_batches={min(counts)} "
            "would do, data that is shared evenly, or `ddp: {join: true}` in the spec"
        )


def shard_any(loader: Any, ranks: Ranks, shuffle: bool, seed: int = 0) -> Any:
    """Have each rank read its own share, unless dataset or sampler see to that."""
    if ranks.world_size == 1 or not isinstance(loader, DataLoader):
        return loader
    streams = isinstance(loader.dataset, IterableDataset)
    if streams or isinstance(loader.sampler, DistributedSampler):
        return loader
    sampler: Any
    if isinstance(loader.sampler, RandomSampler | SequentialSampler):
        place = ranks.world_size, ranks.rank
        sampler = DistributedSampler(loader.dataset, *place, shuffle, seed)
    else:
        sampler = DistributedOrder(loader.sampler, ranks, shuffle, seed)
    return over_sampler(loader, sampler)


def over_sampler(loader: Any, sampler: Any) -> Any:
    """A loader that reads in a sampler's order; the one that is given stays as it is."""
    loader, batches = copy(loader), loader.batch_sampler
    order = loader.sampler if batches is None else getattr(batches, "sampler", None)
    sampler.generator = getattr(order, "generator", None)  # it stays in checkpoints
    if order is loader.sampler:
        vars(loader)["sampler"] = sampler
    if batches is not None:  # else the dataset makes the batches
        vars(loader)["batch_sampler"] = with_sampler(batches, sampler=sampler)
    vars(loader)["_iterator"] = None  # workers that are kept have the order before
    return loader


def shard_by_mesh(loader: Any, mesh: DeviceMesh, shuffle: bool, seed: int = 0) -> Any:
    """As `shard_any`, where ranks with parts of one model read the same."""
    readers = readers_of(mesh)
    if readers.world_size > 1 or mesh.size() == 1:
        return shard_any(loader, readers, shuffle, seed)
    is_theirs = not isinstance(loader, DataLoader) or isinstance(
        loader.dataset, IterableDataset
    )
    if is_theirs or isinstance(loader.sampler, DistributedSampler):
        return loader
    is_plain = isinstance(loader.sampler, RandomSampler | SequentialSampler)
    order = range(len(loader.dataset)) if is_plain else loader.sampler
    sampler = DistributedOrder(order, readers, shuffle, seed)  # new in every epoch
    return over_sampler(loader, sampler)


def with_sampler(
    batch_sampler: Any, keeps: bool = True, shares: bool = True, **instead: Any
) -> Any:
    """The batch sampler over another sampler: made anew, as some make their batches at once."""
    kind: Any = type(batch_sampler)
    if keeps and hasattr(batch_sampler, "made_with"):
        return made_anew(batch_sampler, instead)
    names = signature(kind).parameters.keys()
    if {"sampler"} <= names <= {"sampler", *dir(batch_sampler)}:
        kept = {name: getattr(batch_sampler, name, None) for name in names}
        return kind(**kept | {name: instead[name] for name in names & instead.keys()})
    if shares:
        raise SystemExit(
            f"ranks cannot share the batches of {kind.__name__}: it has to take a `sampler`, "
            "and to keep its other arguments as attributes of their names"
        )
    batch_sampler = copy(batch_sampler)
    vars(batch_sampler).update(instead)
    return batch_sampler


def in_order(loader: Any, wanted: float = 1) -> Any:
    """Have the loader read in the order of its dataset, to overfit on the same batches."""
    if not wanted or not isinstance(loader, DataLoader):
        return loader
    is_ordered = isinstance(loader.sampler, SequentialSampler)
    if is_ordered or isinstance(loader.dataset, IterableDataset):
        return loader
    warnings.warn("overfitting: a loader that shuffles is read in order", stacklevel=2)
    sampler: Any = SequentialSampler(loader.dataset)  # type: ignore[arg-type]
    loader = copy(loader)  # the one that is given stays as it is
    if loader.batch_sampler is not None:
        batches = with_sampler(loader.batch_sampler, sampler=sampler)
        vars(loader)["batch_sampler"] = batches
    vars(loader).update(sampler=sampler, _iterator=None)  # with workers of its own
    return loader


def unrepeated(
    loader: Any, ranks: Ranks, shuffle: bool, epoch: int = 0, splits: bool = True
) -> Any:
    """The loader for predictions: each rank reads its own share, nothing is left out or read twice."""
    if not isinstance(loader, DataLoader) or isinstance(
        loader.dataset, IterableDataset
    ):
        return loader
    sampler: Any = loader.sampler
    if splits and ranks.world_size > 1 and not isinstance(sampler, DistributedSampler):
        sampler = StridedOrder(sampler, ranks, shuffle, epoch)
    else:
        set_epoch(loader, epoch)
    loader, batches = copy(loader), loader.batch_sampler  # what is given stays as it is
    if batches is None:  # the dataset makes the batches
        vars(loader)["sampler"] = sampler
    elif (
        hasattr(batches, "sampler") or "sampler" in signature(type(batches)).parameters
    ):
        shares = sampler is not loader.sampler
        batches = with_sampler(batches, shares=shares, sampler=sampler, drop_last=False)
        vars(loader)["batch_sampler"] = batches
    vars(loader)["_iterator"] = None  # workers that are kept have the order before
    return loader


class StridedOrder:
    """Another sampler's order, of which each rank takes its share."""

    def __init__(self, order: Any, ranks: Ranks, shuffle: bool, epoch: int) -> None:
        self.order, self.ranks = order, ranks
        self.shuffle, self.epoch = shuffle, epoch

    def __iter__(self) -> Iterator[Any]:
        order = list(self.order)
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.epoch)
            places = torch.randperm(len(order), generator=generator).tolist()
            order = [order[place] for place in places]
        return iter(order[self.ranks.rank :: self.ranks.world_size])

    def __len__(self) -> int:
        return len(range(self.ranks.rank, len(self.order), self.ranks.world_size))


def listed(loaders: Any) -> list[Any]:
    """Several loaders, in any nesting, or one alone, as a list."""
    if isinstance(loaders, Mapping):
        loaders = list(loaders.values())
    if not isinstance(loaders, list | tuple):
        return [loaders]
    return [loader for part in loaders for loader in listed(part)]


def shuffles(loader: Any) -> bool:
    """Whether the loader reads in random order."""
    return any(isinstance(sampler, RandomSampler) for sampler in samplers_of(loader))


def samplers_of(loader: Any) -> list[Any]:
    """The loader's sampler and its batch sampler's, which most often are the same."""
    owners = (loader, getattr(loader, "batch_sampler", None))
    own, inner = (getattr(owner, "sampler", None) for owner in owners)
    return [own] if own is inner else [own, inner]


class DistributedOrder(DistributedSampler[Any]):
    """Another sampler's order, split over the ranks."""

    def __init__(self, order: Any, ranks: Ranks, shuffle: bool, seed: int) -> None:
        super().__init__(order, ranks.world_size, ranks.rank, shuffle, seed)
        self.order = order

    def __iter__(self) -> Iterator[Any]:
        order = list(self.order)
        return (order[index] for index in super().__iter__())

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        if hasattr(self.order, "set_epoch"):
            self.order.set_epoch(epoch)


def end_workers(*loaders: Any) -> None:
    """End the processes that loaders with `persistent_workers` keep: the next run starts its own."""
    for loader in listed([getattr(each, "iterables", each) for each in loaders]):
        if isinstance(loader, DataLoader):
            loader._iterator = None


def seed_workers(loader: Any, ranks: Ranks) -> Any:
    """Give a loader's workers random numbers of their own, if nothing else does."""
    if isinstance(loader, DataLoader) and loader.worker_init_fn is None:
        loader.worker_init_fn = partial(seed_worker, rank=ranks.rank)
    return loader


def seed_asked_workers(loader: Any, ranks: Ranks) -> Any:
    """Give a loader's workers random numbers of their own, if the last seed was for them, too."""
    asked = int(os.environ.get("PL_SEED_WORKERS", "0"))
    return seed_workers(loader, ranks) if asked else loader


def set_epoch(loader: Any, epoch: int) -> None:
    """Have a sampler that orders by epoch give this epoch's order."""
    for sampler in samplers_of(loader):
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(epoch)


def generator_states(*loaders: Any) -> list[torch.Tensor]:
    """The states of the generators that loaders and samplers were given."""
    return [generator.get_state() for generator in own_generators(*loaders)]


def set_generator_states(states: list[torch.Tensor], *loaders: Any) -> None:
    for generator, state in zip(own_generators(*loaders), states, strict=True):
        generator.set_state(state)


def own_generators(*loaders: Any) -> list[torch.Generator]:
    """The generators that loaders and samplers were given, each once."""
    owners = [each for loader in loaders for each in (loader, *samplers_of(loader))]
    found = (getattr(owner, "generator", None) for owner in owners)
    return list(
        dict.fromkeys(each for each in found if isinstance(each, torch.Generator))
    )


# ---- batches ---------------------------------------------------------------------------------------------


def lookahead(batches: Iterable[T]) -> Iterator[tuple[T, bool]]:
    """Each batch, and whether it is the last; the next one is fetched to know, the first at once."""
    iterator = iter(batches)
    fetched = list(itertools.islice(iterator, 1))

    def pairs() -> Iterator[tuple[T, bool]]:
        for following in iterator:
            fetched.append(following)
            yield fetched.pop(0), False
        for last in fetched:
            yield last, True

    return pairs()


def lookahead_together(batches: Iterable[T], ranks: Ranks) -> Iterator[tuple[T, bool]]:
    """The same for ranks, which stop where one of them has no more batches. Every rank calls this."""
    pairs = lookahead(batches)
    return until_one_ends(pairs, ranks) if ranks.world_size > 1 else pairs


def until_one_ends(
    pairs: Iterator[tuple[T, bool]], ranks: Ranks
) -> Iterator[tuple[T, bool]]:
    """The batches, as long as each rank has one."""
    store: Any = _get_default_store()
    ENDS.append(key := f"end-of-stream-{len(ENDS)}")
    for count, (batch, is_last) in enumerate(pairs, 1):
        told = f"{ranks.rank} {count + 1}"
        if is_last:  # told before this batch's gradients are shared, seen after that
            told = store.compare_set(key, "", f"{ranks.rank} {count}").decode()
        elif store.check([key]):
            told = store.get(key).decode()
        rank, last = map(int, told.split())
        if count != last if is_last else count >= last:
            raise SystemExit(
                f"rank {rank} has {last} batches, rank {ranks.rank} {count if is_last else 'more'}: "
                "limit_train_batches would do, or `ddp: {join: true}` in the spec"
            )
        yield batch, is_last


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with everything in it that has a method `to` on `device`, the rest as it is."""
    if isinstance(batch, Tensor):
        return batch.to(device, non_blocking=True)
    kind: Any = type(batch)
    if kind in (list, tuple):  # most batches, found without slower checks
        return kind([to_device(item, device) for item in batch])
    if callable(getattr(kind, "to", None)):
        moved = batch.to(device)
        return batch if moved is None else moved
    if is_dataclass(kind):
        return dataclass_to_device(batch, device)
    if isinstance(batch, Mapping):
        items = {key: to_device(item, device) for key, item in batch.items()}
        if isinstance(batch, defaultdict):
            return kind(batch.default_factory, items)
        return kind(items)
    if isinstance(batch, Sequence) and not isinstance(batch, str | bytes):
        parts = [to_device(item, device) for item in batch]
        return kind(*parts) if hasattr(batch, "_fields") else kind(parts)
    return batch


def move_data_to_device(batch: Any, device: torch.device | str | int) -> Any:
    """The batch with everything in it that has a method `to` on `device`; what comes to a CPU has come."""
    place = torch.device(device)
    moved = to_device(batch, place)
    if place.type == "cpu" and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()
    return moved


def dataclass_to_device(batch: Any, device: torch.device) -> Any:
    """A copy with the fields on `device`; what is derived from them is the class's affair."""
    moved = copy(batch)
    for part in fields(batch):
        if part.init:
            setattr(moved, part.name, to_device(getattr(batch, part.name), device))
    for name, member in vars(type(batch)).items():
        if isinstance(member, cached_property):
            vars(moved).pop(name, None)
    return moved


def first_tensor(batch: Any) -> Tensor | None:
    """The first tensor in a batch of any nesting."""
    if isinstance(batch, Tensor):
        return batch
    for part in parts_of(batch):
        tensor = part if isinstance(part, Tensor) else first_tensor(part)
        if tensor is not None:
            return tensor
    return None


def parts_of(batch: Any) -> Iterable[Any]:
    """What a batch, or something in it, is made of."""
    if isinstance(batch, (list, tuple)):  # most batches, found without slower checks
        return batch
    if isinstance(batch, Mapping):
        return batch.values()
    if is_dataclass(batch) and not isinstance(batch, type | Iterable):
        return [getattr(batch, part.name) for part in fields(batch)]
    return batch if isinstance(batch, Iterable) and not isinstance(batch, str) else ()


def batch_size_of(batch: Any) -> int:
    """The length of the first tensor, by which a batch weighs in the epoch's means."""
    tensor = first_tensor(batch)
    if tensor is None:
        raise ValueError("nothing tells the batch's size: give self.log() a batch_size")
    return tensor.size(0) if tensor.ndim else 1
