"""The place in an epoch's batches: what cannot go on from there says so."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from ddpgen.strategies.data.positions import (
    KeptOrder,
    ReplayedBatches,
    SampledBatches,
    WorkersBatches,
    kept_batches,
    place_of_rank,
)
from ddpgen.strategies.distributed.ranks import Ranks
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset


def loader(count: int = 12, **options: Any) -> Any:
    return DataLoader(TensorDataset(torch.arange(count)), **{"batch_size": 2, "shuffle": True, **options})


def read(batches: Any, count: int) -> list[list[int]]:
    """So many batches, as numbers."""
    return [batch[0].tolist() for batch, _ in zip(batches, range(count), strict=False)]


@pytest.mark.parametrize("kind", [SampledBatches, ReplayedBatches])
@pytest.mark.parametrize("has_generator", [False, True])
def test_the_rest_of_an_epoch_is_read(kind: Any, has_generator: bool) -> None:
    def made() -> Any:
        torch.manual_seed(3)
        given = {"generator": torch.Generator().manual_seed(4)} if has_generator else {}
        return kind(loader(**given))

    whole = made()
    epochs = [read(whole, 6), read(whole, 6), torch.rand(())]
    cut = made()
    torch.rand(9) if has_generator else None
    assert read(cut, 6) == epochs[0]
    iterator = iter(cut)
    first = [next(iterator)[0].tolist() for _ in range(4)]
    place = cut.place(4)
    another = made()
    assert another.go_on_from(place) == 4
    assert first + read(another, 2) == epochs[1]
    if not has_generator:
        assert torch.rand(()) == epochs[2]


def test_another_order_is_refused() -> None:
    """Of other data, or of a sampler whose random numbers nobody keeps."""
    batches = SampledBatches(loader())
    iterator = iter(batches)
    next(iterator)
    other = SampledBatches(loader(10))
    other.go_on_from(batches.place(1))
    with pytest.raises(SystemExit, match="not those of the checkpoint"):
        next(iter(other))
    own = random.Random(3)
    sampler = BatchSampler([*range(12)], 2, False)
    sampler.sampler = type("Own", (), {"__iter__": lambda _: iter(own.sample(range(12), 12))})()  # type: ignore[assignment]
    batches = SampledBatches(DataLoader(TensorDataset(torch.arange(12)), batch_sampler=sampler))
    next(iter(batches))
    batches.go_on_from(batches.place(1))
    with pytest.raises(SystemExit, match="not those of the checkpoint"):
        next(iter(batches))


def test_other_numbers_of_ranks_and_workers_are_refused() -> None:
    with pytest.raises(SystemExit, match="by 2 ranks: go on with as many"):
        place_of_rank([{}, {}], Ranks(0, 0, 1))
    assert place_of_rank([1, 2], Ranks(1, 1, 2)) == 2
    batches = WorkersBatches(loader(num_workers=1))
    with pytest.raises(SystemExit, match="with 2 workers"):
        batches.go_on_from({"workers": [None, None], "count": 1})
    batches = WorkersBatches(loader(num_workers=1, persistent_workers=True))
    with pytest.warns(UserWarning, match="persistent workers"):
        batches.go_on_from({"workers": [None], "count": 1})


def test_what_is_read_by_a_sampler_is_found_out() -> None:
    assert type(kept_batches(loader())) is WorkersBatches
    assert type(kept_batches(loader(batch_size=None, shuffle=False))) is ReplayedBatches
    assert type(kept_batches([1, 2])) is ReplayedBatches
    assert len(kept_batches(loader())) == 6
    assert len(KeptOrder(BatchSampler(RandomSampler(range(5)), 2, True), None)) == 2  # type: ignore[arg-type]
