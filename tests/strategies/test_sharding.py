"""Loaders split over the ranks, held against what Lightning makes of the same loaders (semantics 4.1 to 4.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ddpgen.strategies.checkpoints.randomness import seed_worker
from ddpgen.strategies.data.data import (
    DistributedOrder,
    listed,
    seed_workers,
    set_epoch,
    shard,
    shard_any,
    shuffles,
    unrepeated,
)
from ddpgen.strategies.distributed.ranks import Ranks
from lightning.fabric.utilities.data import _replace_dunder_methods, _set_sampler_epoch
from lightning.pytorch.trainer.connectors.data_connector import _DataConnector
from lightning.pytorch.trainer.states import RunningStage, TrainerFn
from lightning.pytorch.utilities.data import _is_dataloader_shuffled
from torch import Tensor
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

Make = Callable[[], Any]

SEED = 3
EPOCHS = 3
ALONE = Ranks(rank=0, local_rank=0, world_size=1)
PAIR = [Ranks(rank=rank, local_rank=rank, world_size=2) for rank in range(2)]
TRIO = [Ranks(rank=rank, local_rank=rank, world_size=3) for rank in range(3)]


class Numbers(Dataset[int]):
    """0, 1, 2 and so on."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(7))


class Backwards(Sampler[int]):
    """Another order every epoch, and one in which each index comes twice."""

    def __init__(self, count: int) -> None:
        self.count, self.epoch = count, 0

    def __len__(self) -> int:
        return 2 * self.count

    def __iter__(self) -> Iterator[int]:
        order = [(self.epoch + index) % self.count for index in range(self.count)]
        return iter([*order, *reversed(order)])

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


class EvenOdd(BatchSampler):
    """Batches of even indices, then of odd ones."""

    def __iter__(self) -> Iterator[list[int]]:
        order = list(self.sampler)
        for part in ([i for i in order if i % 2 == 0], [i for i in order if i % 2]):
            yield from (part[i : i + self.batch_size] for i in range(0, len(part), self.batch_size))


class Precomputed(BatchSampler):
    """Makes its batches once, in its constructor."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        super().__init__(sampler, batch_size, drop_last)
        self.made = list(super().__iter__())

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.made)


class LooksLikeOne:
    """No subclass of torch's BatchSampler, with its signature."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __len__(self) -> int:
        return -(-len(self.sampler) // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        yield from BatchSampler(self.sampler, self.batch_size, self.drop_last)


class FixedBatches:
    """A batch sampler without a sampler."""

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[list[int]]:
        return iter([[0, 1], [2, 3]])


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def weighted(count: int) -> WeightedRandomSampler:
    return WeightedRandomSampler(torch.arange(1.0, count + 1), count, generator=generator())


def batch_sampled(kind: Callable[..., Any], count: int = 9) -> DataLoader[int]:
    numbers = Numbers(count)
    return DataLoader(numbers, batch_sampler=kind(SequentialSampler(numbers), 2, False))


PLAIN: dict[str, Make] = {
    "in order": lambda: DataLoader(Numbers(9), batch_size=2),
    "shuffled": lambda: DataLoader(Numbers(10), batch_size=4, shuffle=True),
    "drop_last": lambda: DataLoader(Numbers(11), batch_size=4, shuffle=True, drop_last=True),
    "fewer than ranks": lambda: DataLoader(Numbers(1), batch_size=2),
    "its own generator": lambda: DataLoader(Numbers(10), batch_size=3, shuffle=True, generator=generator()),
}

SAMPLED: dict[str, Make] = {
    "weighted": lambda: DataLoader(Numbers(9), batch_size=2, sampler=weighted(9)),
    "a part": lambda: DataLoader(
        Numbers(9), batch_size=2, sampler=SubsetRandomSampler([1, 3, 5, 7, 8], generator())
    ),
    "set_epoch": lambda: DataLoader(Numbers(5), batch_size=2, sampler=Backwards(5)),
    "a list": lambda: DataLoader(Numbers(9), batch_size=2, sampler=[8, 6, 4, 2, 0]),
    "sequential": lambda: DataLoader(Numbers(9), batch_size=2, sampler=SequentialSampler(range(9))),
    "custom batches": lambda: batch_sampled(EvenOdd),
    "like a batch sampler": lambda: batch_sampled(LooksLikeOne),
}


def lightnings(make: Make, ranks: Ranks, shuffle: bool) -> Any:
    """The loader that Lightning's Trainer would read."""
    connector = _DataConnector(
        SimpleNamespace(
            _accelerator_connector=SimpleNamespace(use_distributed_sampler=True, is_distributed=True),
            distributed_sampler_kwargs={"num_replicas": ranks.world_size, "rank": ranks.rank},
            overfit_batches=0,
            state=SimpleNamespace(fn=TrainerFn.FITTING),
        )
    )
    with _replace_dunder_methods(DataLoader, "dataset"), _replace_dunder_methods(BatchSampler):
        loader = make()  # as where the Trainer calls the hook
    return connector._prepare_dataloader(loader, shuffle=shuffle, mode=RunningStage.TRAINING)


def read(loader: Any, set_epoch: Callable[[Any, int], None]) -> list[list[Any]]:
    """The batches of some epochs, the random numbers beginning alike."""
    torch.manual_seed(0)
    epochs = []
    for epoch in range(EPOCHS):
        set_epoch(loader, epoch)
        epochs.append([batch.tolist() if isinstance(batch, Tensor) else batch for batch in loader])
    return epochs


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PL_GLOBAL_SEED", str(SEED))


# ---- against Lightning -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [*PAIR, *TRIO], ids=lambda ranks: f"{ranks.rank} of {ranks.world_size}")
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("split", [shard, shard_any])
@pytest.mark.parametrize("make", PLAIN.values(), ids=PLAIN)
def test_a_plain_loaders_share_is_lightnings(make: Make, split: Any, shuffle: bool, ranks: Ranks) -> None:
    loader = split(make(), ranks, shuffle, SEED)
    reference = lightnings(make, ranks, shuffle)
    assert read(loader, set_epoch) == read(reference, _set_sampler_epoch)
    assert len(loader) == len(reference)


@pytest.mark.parametrize("ranks", [*PAIR, *TRIO], ids=lambda ranks: f"{ranks.rank} of {ranks.world_size}")
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("make", SAMPLED.values(), ids=SAMPLED)
def test_the_share_of_any_sampler_is_lightnings(make: Make, shuffle: bool, ranks: Ranks) -> None:
    loader = shard_any(make(), ranks, shuffle, SEED)
    reference = lightnings(make, ranks, shuffle)
    assert read(loader, set_epoch) == read(reference, _set_sampler_epoch)
    assert len(loader) == len(reference)


@pytest.mark.parametrize("make", SAMPLED.values(), ids=SAMPLED)
def test_the_loaders_sampler_is_that_of_the_share(make: Make) -> None:
    ours, reference = shard_any(make(), PAIR[1], True, SEED), lightnings(make, PAIR[1], True)
    assert len(ours.sampler) == len(reference.sampler)
    are_one = reference.sampler is reference.batch_sampler.sampler
    assert (ours.sampler is ours.batch_sampler.sampler) == are_one
    assert hasattr(ours.sampler, "set_epoch") == hasattr(reference.sampler, "set_epoch")


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_sampler_that_draws_from_the_default_generator_draws_alike(shuffle: bool) -> None:
    def make() -> DataLoader[int]:
        return DataLoader(Numbers(9), batch_size=2, sampler=WeightedRandomSampler(torch.ones(9), 9))

    for ranks in PAIR:
        ours = read(shard_any(make(), ranks, shuffle, SEED), set_epoch)
        state = torch.get_rng_state()
        assert ours == read(lightnings(make, ranks, shuffle), _set_sampler_epoch)
        assert torch.equal(state, torch.get_rng_state())


def make_unbatched() -> DataLoader[int]:
    return DataLoader(Numbers(9), batch_size=None)


def test_without_batches_the_first_share_is_lightnings() -> None:
    for ranks in PAIR:
        loader, reference = shard_any(make_unbatched(), ranks, True, SEED), lightnings(
            make_unbatched, ranks, True
        )
        assert list(loader) == list(reference)
        assert len(loader) == len(reference)


def test_without_batches_every_epoch_has_its_order() -> None:
    ranks = PAIR[0]
    loader, reference = shard_any(make_unbatched(), ranks, True, SEED), lightnings(
        make_unbatched, ranks, True
    )
    assert read(loader, set_epoch) == read(reference, _set_sampler_epoch)


def test_batches_that_the_constructor_makes_are_split() -> None:
    """Lightning makes the batch sampler anew, with the ranks' sampler (semantics 4.4)."""
    make = partial(batch_sampled, Precomputed)
    for ranks in PAIR:
        loader, reference = shard_any(make(), ranks, False), lightnings(make, ranks, False)
        assert read(loader, set_epoch) == read(reference, _set_sampler_epoch)


def test_a_plain_batch_sampler_keeps_its_size() -> None:
    """Lightning 2.6.6 forgets it, and reads batches of one; the indices and their order are the same."""

    def make() -> DataLoader[int]:
        return DataLoader(Numbers(9), batch_sampler=BatchSampler(weighted(9), 2, drop_last=False))

    for ranks in PAIR:
        reference = [index for (index,) in lightnings(make, ranks, True)]
        share = list(shard_any(make(), ranks, True, SEED))
        assert [len(batch) for batch in share] == [2, 2, 1]
        assert torch.cat(share).tolist() == reference


# ---- what is split, and what is not ----------------------------------------------------------------------


@pytest.mark.parametrize("make", [*PLAIN.values(), *SAMPLED.values()], ids=[*PLAIN, *SAMPLED])
def test_a_world_of_one_reads_what_it_would_without_us(make: Make) -> None:
    loader = make()
    assert shard_any(loader, ALONE, True, SEED) is loader
    assert read(loader, set_epoch) == read(make(), _set_sampler_epoch)


def test_shard_leaves_a_world_of_one_alone() -> None:
    loader = DataLoader(Numbers(9), batch_size=2)
    assert shard(loader, ALONE, True) is loader
    assert isinstance(loader.batch_sampler.sampler, SequentialSampler)


def test_shard_leaves_the_loader_that_it_is_given_alone() -> None:
    """Semantics 4.5: Lightning makes a loader of its own, and the sampler is that loader's."""
    loader = DataLoader(Numbers(9), batch_size=2, shuffle=True)
    sharded = shard(loader, PAIR[1], True)
    assert sharded.sampler is sharded.batch_sampler.sampler
    assert isinstance(sharded.sampler, DistributedSampler)
    assert isinstance(loader.sampler, RandomSampler)
    assert isinstance(loader.batch_sampler.sampler, RandomSampler)


def given() -> DataLoader[int]:
    """Its batches come from another sampler than torch's own."""
    return DataLoader(Numbers(9), batch_size=2, sampler=weighted(9), drop_last=True)


class Halves:
    """A batch sampler that keeps nothing of what it was made with but the sampler."""

    drop_last = True

    def __init__(self, sampler: Any, size: int, _: bool) -> None:
        self.sampler, self.number = sampler, size

    def __iter__(self) -> Iterator[list[int]]:
        yield list(self.sampler)


@pytest.mark.parametrize("split", [shard_any, unrepeated])
def test_a_loader_of_any_kind_stays_as_a_main_made_it(split: Any) -> None:
    """Lightning makes another one: a main may read its own again."""
    loader = given()
    assert_kept_by(loader, lambda: split(loader, PAIR[0], True))


def test_what_cannot_be_made_anew_is_copied_where_nothing_is_shared() -> None:
    loader = batch_sampled(Halves)
    assert_kept_by(loader, lambda: unrepeated(loader, ALONE, False))


@pytest.mark.parametrize("split", [shard_any, unrepeated])
def test_ranks_do_not_share_what_cannot_be_made_anew(split: Any) -> None:
    with pytest.raises(SystemExit, match="the batches of Halves: it has to take a"):
        split(batch_sampled(Halves), PAIR[0], True)


def assert_kept_by(loader: DataLoader[int], split: Callable[[], Any]) -> None:
    sampler, batches = loader.sampler, loader.batch_sampler
    order, drops = batches.sampler, batches.drop_last
    split_loader = split()
    assert split_loader is not loader
    assert (loader.sampler, loader.batch_sampler) == (sampler, batches)
    assert (batches.sampler, batches.drop_last) == (order, drops)


def test_the_ranks_together_read_everything_and_pad_with_the_first() -> None:
    """Semantics 4.5."""
    shares = [
        [
            index
            for batch in shard(DataLoader(Numbers(10), batch_size=2), ranks, False)
            for index in batch.tolist()
        ]
        for ranks in TRIO
    ]
    assert shares == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]


def test_an_iterable_dataset_is_left_to_itself() -> None:
    loader = shard_any(DataLoader(Stream(), batch_size=2), PAIR[1], True)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6]]


def test_the_users_distributed_sampler_stays() -> None:
    sampler = DistributedSampler(Numbers(9), num_replicas=2, rank=1, shuffle=True, seed=11)
    loader = DataLoader(Numbers(9), batch_size=2, sampler=sampler)
    assert shard_any(loader, PAIR[1], True).batch_sampler.sampler is sampler


@pytest.mark.parametrize("loader", [[1, 2], {"a": 1}, range(3), "text"], ids=repr)
def test_what_is_no_loader_is_left_alone(loader: Any) -> None:
    assert shard_any(loader, PAIR[0], True) is loader


def test_a_batch_sampler_without_sampler_is_refused_in_a_sentence() -> None:
    """Lightning raises a TypeError (semantics 4.4)."""
    loader = DataLoader(Numbers(9), batch_sampler=FixedBatches())
    with pytest.raises(SystemExit, match="of FixedBatches: it has to take a"):
        shard_any(loader, PAIR[0], True)
    with pytest.raises(TypeError):
        lightnings(lambda: DataLoader(Numbers(9), batch_sampler=FixedBatches()), PAIR[0], True)


def test_a_sampler_without_length_is_an_error() -> None:
    class Endless(Sampler[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(3))

    def make() -> DataLoader[int]:
        return DataLoader(Numbers(9), batch_size=2, sampler=Endless())

    with pytest.raises(TypeError):
        shard_any(make(), PAIR[0], True)
    with pytest.raises(TypeError):
        lightnings(make, PAIR[0], True)


def test_workers_read_the_share_too() -> None:
    loader = shard(DataLoader(Numbers(9), batch_size=2, num_workers=1), PAIR[1], False)
    assert [batch.tolist() for batch in loader] == [[1, 3], [5, 7], [0]]


def test_distributed_order_forwards_the_epoch() -> None:
    order = Backwards(3)
    DistributedOrder(order, PAIR[0], shuffle=False, seed=0).set_epoch(4)
    assert order.epoch == 4


def test_distributed_order_asks_its_order_anew_every_epoch() -> None:
    sampler = DistributedOrder(weighted(50), PAIR[0], shuffle=False, seed=0)
    assert list(sampler) != list(sampler)


# ---- epochs ----------------------------------------------------------------------------------------------


class Noting(Sampler[int]):
    """Notes the epochs that it is told."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def __len__(self) -> int:
        return 4

    def __iter__(self) -> Iterator[int]:
        return iter(range(4))

    def set_epoch(self, epoch: int) -> None:
        self.told.append(epoch)


def told_by(set_epoch: Callable[[Any, int], None], make: Callable[[Noting], Any]) -> list[int]:
    sampler = Noting()
    loader = make(sampler)
    for epoch in (0, 1, 5):
        set_epoch(loader, epoch)
    return sampler.told


TOLD: dict[str, Callable[[Noting], Any]] = {
    "a sampler": lambda sampler: DataLoader(Numbers(4), batch_size=2, sampler=sampler),
    "a batch sampler's": lambda sampler: DataLoader(
        Numbers(4), batch_sampler=BatchSampler(sampler, 2, drop_last=False)
    ),
}
UNTOLD: dict[str, Callable[[Noting], Any]] = {
    "without batches": lambda sampler: DataLoader(Numbers(4), batch_size=None, sampler=sampler),
    "no DataLoader": lambda sampler: SimpleNamespace(sampler=sampler),
}


@pytest.mark.parametrize("make", TOLD.values(), ids=TOLD)
def test_set_epoch_tells_whom_lightning_tells(make: Callable[[Noting], Any]) -> None:
    """Semantics 4.6."""
    expected = told_by(_set_sampler_epoch, make)
    assert expected == [0, 1, 5]
    assert told_by(set_epoch, make) == expected


@pytest.mark.parametrize("make", UNTOLD.values(), ids=UNTOLD)
def test_set_epoch_tells_a_loaders_own_sampler(make: Callable[[Noting], Any]) -> None:
    """Semantics 4.6: `dataloader.sampler`, and its batch sampler's."""
    assert told_by(set_epoch, make) == told_by(_set_sampler_epoch, make) == [0, 1, 5]


@pytest.mark.parametrize("loader", [[1, 2], None, DataLoader(Numbers(4)), DataLoader(Stream())], ids=type)
def test_set_epoch_asks_nothing_of_other_loaders(loader: Any) -> None:
    set_epoch(loader, 3)


def test_every_epoch_has_another_order_and_the_same_again() -> None:
    first, again = (
        read(shard(DataLoader(Numbers(50), batch_size=5), PAIR[0], True, SEED), set_epoch) for _ in range(2)
    )
    assert first == again
    assert first[0] != first[1]
    assert (
        first[0] != read(shard(DataLoader(Numbers(50), batch_size=5), PAIR[0], True, SEED + 1), set_epoch)[0]
    )


# ---- shuffling -------------------------------------------------------------------------------------------

ORDERS: dict[str, Make] = {
    "in order": lambda: DataLoader(Numbers(9)),
    "shuffled": lambda: DataLoader(Numbers(9), shuffle=True),
    "RandomSampler": lambda: DataLoader(Numbers(9), sampler=RandomSampler(range(9))),
    "weighted": lambda: DataLoader(Numbers(9), sampler=weighted(9)),
    "unbatched": lambda: DataLoader(Numbers(9), batch_size=None, shuffle=True),
    "stream": lambda: DataLoader(Stream()),
    "no loader": lambda: [1, 2, 3],
    "fixed batches": lambda: DataLoader(Numbers(9), batch_sampler=FixedBatches()),
}


@pytest.mark.parametrize("make", ORDERS.values(), ids=ORDERS)
def test_shuffles_is_lightnings_judgement(make: Make) -> None:
    """By it the validation data of several ranks is shuffled or not (semantics 4.3)."""
    assert shuffles(make()) is _is_dataloader_shuffled(make())


def test_shuffles_sees_into_a_batch_sampler() -> None:
    def make() -> DataLoader[int]:
        return DataLoader(Numbers(9), batch_sampler=BatchSampler(RandomSampler(range(9)), 2, drop_last=False))

    assert shuffles(make()) is _is_dataloader_shuffled(make()) is True


# ---- workers ---------------------------------------------------------------------------------------------


def test_workers_get_seeds_of_their_ranks() -> None:
    loader = DataLoader(Numbers(4))
    assert seed_workers(loader, PAIR[1]) is loader
    assert isinstance(loader.worker_init_fn, partial)
    assert (loader.worker_init_fn.func, loader.worker_init_fn.keywords) == (seed_worker, {"rank": 1})


def test_the_users_own_seeding_of_workers_stays() -> None:
    loader = DataLoader(Numbers(4), worker_init_fn=print)
    assert seed_workers(loader, PAIR[1]).worker_init_fn is print


def test_what_has_no_workers_is_left_alone() -> None:
    assert seed_workers([1, 2], PAIR[0]) == [1, 2]


# ---- predictions ---------------------------------------------------------------------------------------


def lightnings_for_predictions(make: Make, ranks: Ranks, shuffle: bool) -> Any:
    connector = _DataConnector(
        SimpleNamespace(
            _accelerator_connector=SimpleNamespace(
                use_distributed_sampler=True, is_distributed=ranks.world_size > 1
            ),
            distributed_sampler_kwargs={"num_replicas": ranks.world_size, "rank": ranks.rank},
            overfit_batches=0,
            state=SimpleNamespace(fn=TrainerFn.PREDICTING),
        )
    )
    with _replace_dunder_methods(DataLoader, "dataset"), _replace_dunder_methods(BatchSampler):
        loader = make()
    return connector._prepare_dataloader(loader, shuffle=shuffle, mode=RunningStage.PREDICTING)


@pytest.mark.parametrize("ranks", [ALONE, *PAIR, *TRIO])
@pytest.mark.parametrize("name", [name for name in {**PLAIN, **SAMPLED} if name != "fewer than ranks"])
def test_predictions_are_read_as_under_lightning(name: str, ranks: Ranks) -> None:
    """Nothing is read twice, and nothing dropped (semantics 4.2, 4.4)."""
    make = {**PLAIN, **SAMPLED}[name]
    shuffle = _is_dataloader_shuffled(make())
    for epoch in range(2):
        expected = lightnings_for_predictions(make, ranks, shuffle)
        _set_sampler_epoch(expected, epoch)
        ours = unrepeated(make(), ranks, shuffles(make()), epoch)
        batches = []
        for loader in (expected, ours):
            torch.manual_seed(0)
            batches.append([batch.tolist() for batch in loader])
        assert batches[0] == batches[1]


def test_streams_and_other_iterables_are_predicted_as_they_are() -> None:
    for loader in (DataLoader(Stream(), batch_size=2), [1, 2]):
        assert unrepeated(loader, PAIR[0], shuffle=False) is loader


@pytest.mark.parametrize(
    ("given", "expected"),
    [(1, [1]), ([1, 2], [1, 2]), ((1,), [1]), ({"a": 1, "b": [2, 3]}, [1, 2, 3])],
)
def test_loaders_come_one_after_the_other(given: Any, expected: list[int]) -> None:
    assert listed(given) == expected
