"""The place in an epoch's batches: what cannot go on from there says so."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ddpgen.strategies.checkpoints.checkpoint import is_plain
from ddpgen.strategies.data.data import lookahead
from ddpgen.strategies.data.positions import (
    KeptOrder,
    ReplayedBatches,
    SampledBatches,
    StatefulBatches,
    WorkersBatches,
    kept_batches,
    place_of_rank,
)
from ddpgen.strategies.distributed.ranks import Ranks
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    TensorDataset,
    get_worker_info,
)
from torchdata.stateful_dataloader import StatefulDataLoader


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


# ---- places that loaders and streams tell by themselves --------------------------------------------------


def noise() -> list[float]:
    return [random.random(), np.random.rand(), torch.rand(()).item()]


class Noisy(Dataset[Any]):
    def __len__(self) -> int:
        return 14

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([index, *noise()])


class Stream(IterableDataset[Any]):
    """Samples in an order of their own, which goes on from its state without reading what was read."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.read = 0
        self.begins = True

    def __iter__(self) -> Iterator[Any]:
        if self.begins:
            self.order, self.read = random.sample(range(14), 14), 0
        self.begins = True
        info = get_worker_info()
        mine = self.order[info.id :: info.num_workers] if info else self.order
        while self.read < len(mine):
            self.read += 1
            yield torch.tensor([mine[self.read - 1], *noise()])

    def state_dict(self) -> dict[str, Any]:
        return {"order": self.order, "read": self.read}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.order, self.read = state_dict["order"], state_dict["read"]
        self.begins = not self.order


class Bare(IterableDataset[Any]):
    """The same without a state."""

    def __iter__(self) -> Iterator[Any]:
        return iter(Stream())


LOADERS: dict[str, tuple[Any, type]] = {
    "map": (lambda count: StatefulDataLoader(Noisy(), 2, shuffle=True, num_workers=count), WorkersBatches),
    "stream": (lambda count: StatefulDataLoader(Stream(), 2, num_workers=count), StatefulBatches),
    "bare": (lambda count: StatefulDataLoader(Bare(), 2, num_workers=count), StatefulBatches),
    "torchs": (lambda count: DataLoader(Stream(), 2, num_workers=count), StatefulBatches),
}


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("name", "looks_ahead"),
    [("map", False), ("stream", True), ("stream", False), ("bare", True), ("torchs", True)],
)
def test_loaders_and_streams_go_on_by_their_own_state(name: str, workers: int, looks_ahead: bool) -> None:
    make, kind = LOADERS[name]

    def begun() -> tuple[Any, Iterator[Any]]:
        torch.manual_seed(3)
        random.seed(3)
        np.random.seed(3)
        batches = kept_batches(make(workers))
        return batches, epoch(batches)

    def epoch(batches: Any) -> Iterator[Any]:
        """Its batches, each with what training draws after it."""
        for batch in (each for each, _ in lookahead(batches)) if looks_ahead else batches:
            yield batch.tolist(), noise()

    batches, whole = begun()
    expected = [*whole], [*epoch(batches)]
    assert len(expected[0]) == 7 + (workers > 0 and name != "map")
    for count in (1, 4, len(expected[0])):
        cut, first = begun()
        assert [next(first) for _ in range(count)] == expected[0][:count]
        place = cut.place(count)
        del first
        random.seed(5)
        np.random.seed(5)
        torch.manual_seed(5)
        another = kept_batches(make(workers))
        assert isinstance(another, ReplayedBatches if name == "torchs" and workers else kind)
        assert another.go_on_from(place) == count
        assert [*epoch(another)] == expected[0][count:]
        assert [*epoch(another)] == expected[1]


class Told(Stream):
    """Tells its place in what no checkpoint holds."""

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "order": np.array(self.order)}


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("looks_ahead", [False, True])
def test_what_a_checkpoint_cannot_hold_is_told_and_read_again(workers: int, looks_ahead: bool) -> None:
    def begun() -> tuple[Any, Iterator[Any]]:
        torch.manual_seed(3)
        random.seed(3)
        np.random.seed(3)
        batches = kept_batches(StatefulDataLoader(Told(), 2, num_workers=workers))
        return batches, epoch(batches)

    def epoch(batches: Any) -> Iterator[Any]:
        for batch in (each for each, _ in lookahead(batches)) if looks_ahead else batches:
            yield batch.tolist(), noise()

    batches, whole = begun()
    expected = [*whole], [*epoch(batches)]
    batches, first = begun()
    assert [next(first) for _ in range(3)] == expected[0][:3]
    with pytest.warns(UserWarning, match="holds what a checkpoint cannot hold: .* reads its batches again"):
        place = batches.place(3)
    assert is_plain(place)
    batches, rest = begun()
    assert batches.go_on_from(place) == 3
    assert [*rest] == expected[0][3:]
    assert [*epoch(batches)] == expected[1]


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")
def test_a_place_at_the_end_stays_there() -> None:
    """Where a run that goes on from it saves before the next epoch."""
    random.seed(3)
    batches = kept_batches(StatefulDataLoader(Stream(), 2))
    assert len([*batches]) == 7
    place = batches.place(7)
    for _ in range(2):
        batches = kept_batches(StatefulDataLoader(Stream(), 2))
        batches.go_on_from(place)
        assert [*batches] == []
        place = batches.place(7)
