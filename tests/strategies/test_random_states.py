"""Seeds and random states: the numbers that Lightning draws, and drawing on exactly where one stopped (semantics 3)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from ddpgen.strategies.checkpoints.randomness import (
    gather_from_ranks,
    given_seed,
    isolate_rng,
    mixed_seeds,
    rng_state,
    seed_everything,
    seed_with_workers,
    seed_worker,
    set_rng_state,
)
from ddpgen.strategies.data.data import (
    generator_states,
    own_generators,
    seed_asked_workers,
    set_generator_states,
    shard,
    shard_any,
)
from ddpgen.strategies.distributed.ranks import Ranks
from hypothesis import given, settings
from hypothesis import strategies as st
from lightning.fabric.utilities.data import _auto_add_worker_init_fn
from lightning.fabric.utilities.seed import _generate_seed_sequence, pl_worker_init_function
from lightning.fabric.utilities.seed import seed_everything as lightnings_seed_everything
from lightning.pytorch.utilities.seed import isolate_rng as lightnings_isolate_rng
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, WeightedRandomSampler


def draws() -> list[Any]:
    """Some numbers of every kind of generator, a cached normal number included."""
    return [
        random.random(),
        random.gauss(0, 1),
        *np.random.rand(2).tolist(),
        np.random.randn(),
        *torch.rand(2).tolist(),
        *torch.randn(3).tolist(),
        torch.randint(2**62, ()).item(),
    ]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PL_GLOBAL_SEED", "PL_SEED_WORKERS"):
        monkeypatch.setenv(name, "")  # so that what Lightning writes there goes away again
        monkeypatch.delenv(name)


# ---- seeds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1])
def test_seed_everything_is_lightnings(seed: int) -> None:
    """Semantics 3.1."""
    seed_everything(seed)
    ours = draws()
    lightnings_seed_everything(seed, verbose=False)
    assert ours == draws()


@pytest.mark.parametrize("last", [(), (False,), (True,)])
def test_the_last_seed_says_whether_it_is_for_workers_too(last: tuple[bool, ...]) -> None:
    """As under Lightning: semantics 3.1."""
    loaders = []
    for seed in (lightnings_seed_everything, seed_with_workers):
        seed(1, True)
        seed(2, *last)
        loaders.append((DataLoader([0]), draws()))
    _auto_add_worker_init_fn(loaders[0][0], 0)
    seed_asked_workers(loaders[1][0], Ranks(0, 0, 1))
    assert [each.worker_init_fn is not None for each, _ in loaders] == [last == (True,)] * 2
    assert loaders[0][1] == loaders[1][1]


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**16), st.integers(0, 2**16))
def test_mixed_seeds_are_lightnings(base: int, worker: int, rank: int) -> None:
    seeds = mixed_seeds((base << 32) | (worker << 16) | rank, count=4)
    assert seeds == _generate_seed_sequence(base, worker, rank, count=4)


@pytest.mark.parametrize("rank", [0, 1, 300])
@pytest.mark.parametrize("worker", [0, 1, 70])
@pytest.mark.parametrize("base", [0, 5, 2**40 + 3, 2**63 - 100])
def test_a_workers_seed_is_lightnings(base: int, worker: int, rank: int) -> None:
    """Semantics 3.6, bit for bit; torch gives a worker the base seed plus its number."""
    torch.manual_seed(base + worker)
    seed_worker(worker, rank)
    ours = draws()
    torch.manual_seed(base + worker)
    pl_worker_init_function(worker, rank)
    assert ours == draws()


def test_every_worker_of_every_rank_draws_its_own() -> None:
    seen = set()
    for rank in range(3):
        for worker in range(3):
            torch.manual_seed(7 + worker)
            seed_worker(worker, rank)
            seen.add(tuple(draws()))
    assert len(seen) == 9


# ---- states ----------------------------------------------------------------------------------------------


def uneven() -> None:
    """Leave the generators in the middle, with a normal number kept back."""
    seed_everything(3)
    random.gauss(0, 1)
    np.random.randn(3)
    torch.randn(5)


def test_a_state_survives_a_checkpoint_and_goes_on_exactly(tmp_path: Path) -> None:
    uneven()
    torch.save({"rng_states": [rng_state()]}, tmp_path / "file")
    expected = draws()
    seed_everything(99)
    loaded = torch.load(tmp_path / "file", weights_only=True)
    set_rng_state(loaded["rng_states"][0])
    assert draws() == expected


def test_a_state_is_no_view_of_the_generators() -> None:
    uneven()
    state = rng_state()
    expected = draws()
    draws()
    set_rng_state(state)
    assert draws() == expected
    set_rng_state(state)
    assert draws() == expected


def test_taking_a_state_draws_nothing() -> None:
    uneven()
    expected = draws()
    uneven()
    rng_state()
    assert draws() == expected


def test_without_a_gpu_no_state_of_one_is_kept_or_asked_for() -> None:
    state = rng_state()
    assert set(state) == {"python", "numpy", "torch", "device"}
    assert state["device"] is None or torch.accelerator.is_available()


def test_the_gpus_state_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine has no GPU, what torch is asked for."""
    kept = torch.arange(3, dtype=torch.uint8)
    calls: list[Any] = []
    module = SimpleNamespace(get_rng_state=lambda: kept, set_rng_state=calls.append)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch, "get_device_module", lambda: module)
    set_rng_state(rng_state())
    assert len(calls) == 1
    assert calls[0] is kept


@contextmanager
def kept_rng() -> Iterator[None]:
    """As a script does it."""
    state = rng_state()
    yield
    set_rng_state(state)


def test_a_state_that_is_set_again_leaves_no_trace_like_lightnings() -> None:
    """Semantics 3.3: around the sanity check."""
    results = []
    without_devices = partial(isolate_rng, include_cuda=False)
    for isolated in (kept_rng, lightnings_isolate_rng, isolate_rng, without_devices):
        uneven()
        with isolated():
            inside = draws()
        results.append((inside, draws()))
    assert all(each == results[0] for each in results)
    uneven()
    assert results[0] == (draws(), results[0][0])


@pytest.mark.parametrize("include_cuda", [True, False])
def test_states_of_devices_are_kept_where_that_is_wanted(
    include_cuda: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: ["states"])
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", calls.append)
    for isolated in (isolate_rng, lightnings_isolate_rng):
        with isolated(include_cuda):
            draws()
    assert [each for each in calls if each] == [["states"]] * 2 * include_cuda


def test_what_fails_leaves_the_states_that_it_made() -> None:
    results = []
    for isolated in (isolate_rng, lightnings_isolate_rng):
        uneven()
        with suppress(ValueError), isolated():
            draws()
            raise ValueError
        results.append(draws())
    assert results[0] == results[1]


# ---- generators of loaders -------------------------------------------------------------------------------


def seeded(seed: int) -> RandomSampler:
    return RandomSampler(range(8), generator=torch.Generator().manual_seed(seed))


def loaders() -> tuple[Any, ...]:
    """Loaders with generators of their own, of their samplers, and without any."""
    numbers = range(8)
    return (
        DataLoader(numbers, shuffle=True, generator=torch.Generator().manual_seed(1)),
        DataLoader(numbers, sampler=seeded(2)),
        DataLoader(
            numbers,
            sampler=WeightedRandomSampler([1.0] * 8, 8, generator=torch.Generator().manual_seed(3)),
            generator=torch.Generator().manual_seed(4),
        ),
        DataLoader(numbers, batch_sampler=BatchSampler(seeded(5), batch_size=1, drop_last=False)),
        DataLoader(numbers, shuffle=True),
        [1, 2, 3],
        None,
    )


def orders(several: tuple[Any, ...]) -> list[list[int]]:
    return [[int(index) for index in loader] for loader in several[:4]]


def test_own_generators_are_those_of_loaders_and_samplers() -> None:
    assert len(own_generators(*loaders())) == 5
    assert own_generators(loaders()[4]) == own_generators() == own_generators(None) == []


def test_generator_states_go_on_exactly(tmp_path: Path) -> None:
    several = loaders()
    orders(several)
    torch.save(generator_states(*several), tmp_path / "file")
    expected = orders(several)
    assert expected != orders(several)
    again = loaders()
    set_generator_states(torch.load(tmp_path / "file", weights_only=True), *again)
    assert orders(again) == expected


def test_states_of_other_loaders_are_an_error() -> None:
    several = loaders()
    with pytest.raises(ValueError, match="shorter"):
        set_generator_states(generator_states(*several)[:1], *several)


@pytest.mark.parametrize("split", [shard, shard_any])
def test_a_run_goes_on_with_another_number_of_ranks(split: Any) -> None:
    """Semantics 3.7: a loader that is split over ranks has as many generators as one that is not."""
    loader = loaders()[0]
    states = generator_states(loader)
    set_generator_states(states, split(loader, Ranks(1, 1, 2), True))


def test_the_generator_of_a_sampler_that_is_shared_out_stays_known() -> None:
    for loader in loaders():
        assert own_generators(shard_any(loader, Ranks(1, 1, 2), True)) == own_generators(loader)


def test_a_generator_that_a_sampler_shares_is_counted_once() -> None:
    generator = torch.Generator().manual_seed(5)
    loader = DataLoader(range(8), shuffle=True, generator=generator)
    states = generator_states(loader)
    expected = [int(index) for index in loader]
    set_generator_states(states, loader)
    assert [int(index) for index in loader] == expected


# ---- several ranks ---------------------------------------------------------------------------------------


def test_in_a_world_of_one_nothing_is_gathered() -> None:
    state = {"torch": torch.ones(2)}
    assert gather_from_ranks(state, Ranks(0, 0, world_size=1)) == [state]


def test_a_seed_that_is_missing_is_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PL_GLOBAL_SEED", raising=False)
    assert (given_seed(None), given_seed(5), given_seed("7")) == (0, 5, 7)
    monkeypatch.setenv("PL_GLOBAL_SEED", "9")
    assert given_seed(None) == 9
