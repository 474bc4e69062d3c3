"""When gradients are averaged, and that they are: against averages computed by hand (semantics 6.1, 6.2, D-c)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from ddpgen.strategies.data_parallel.grad_sync import (
    average_gradients,
    forced_sync,
    multi_auto_sync,
    own_auto_sync,
    single_auto_sync,
)
from ddpgen.strategies.data_parallel.wrap import ModelStep, TrainingStep, as_wrapper
from ddpgen.strategies.distributed.ranks import Ranks
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

Mode = Callable[[nn.Module, bool], AbstractContextManager[None]]
Gradients = dict[str, Tensor | None]

MODES = (single_auto_sync, multi_auto_sync, forced_sync, own_auto_sync)
WINDOW = 3
ALONE = Ranks(rank=0, local_rank=0, world_size=1)


class Model(nn.Module):
    """Something with a `training_step`; the same on every rank."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.first = nn.Parameter(torch.randn(3, 4, generator=generator))
        self.second = nn.Parameter(torch.randn(4, generator=generator))

    def training_step(self, batch: Tensor, batch_idx: int = 0) -> Tensor:
        return (batch @ self.first).tanh() @ self.second


class Branches(nn.Module):
    """A step that uses one of two parameters of the same shape, and a third one that is frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
        self.left = nn.Parameter(torch.ones(2))
        self.unused = nn.Parameter(torch.ones(2))
        self.right = nn.Parameter(torch.ones(2))

    def training_step(self, factor: Tensor, goes_left: bool) -> Tensor:
        branch = self.left if goes_left else self.right
        return (factor * branch * self.frozen).sum()


def batches(rank: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(100 + rank)
    return [torch.randn(3, generator=generator) for _ in range(WINDOW)]


def gradients(model: nn.Module) -> Gradients:
    return {
        name: None if parameter.grad is None else parameter.grad.clone()
        for name, parameter in model.named_parameters()
    }


def local_gradients(rank: int, count: int = WINDOW) -> dict[str, Tensor]:
    """What the first `count` batches of a rank add up to, with nothing averaged."""
    model = Model()
    for batch in batches(rank)[:count]:
        model.training_step(batch).backward()
    return {
        name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None
    }


def averages(count: int = WINDOW) -> dict[str, Tensor]:
    """The mean over both ranks, by hand."""
    one, other = local_gradients(0, count), local_gradients(1, count)
    return {name: (one[name] + other[name]) / 2 for name in one}


def assert_close(actual: Gradients, expected: dict[str, Tensor]) -> None:
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        torch.testing.assert_close(actual[name], value)


# ---- accumulation ----------------------------------------------------------------------------------------


def each_rank_accumulate(ranks: Ranks) -> dict[str, list[Gradients]]:
    """The gradients after every batch of a window, for each mode."""
    found = {}
    for mode in MODES:
        model = Model()
        step = DistributedDataParallel(TrainingStep(model))
        seen = []
        for batch_idx, batch in enumerate(batches(ranks.rank)):
            with mode(step, batch_idx == WINDOW - 1):
                step(batch, batch_idx).backward()
            seen.append(gradients(model))
        found[mode.__name__] = seen
    return found


@pytest.mark.processes
@pytest.mark.parametrize("mode", MODES)
def test_after_the_window_gradients_are_the_ranks_mean(two_ranks: Any, mode: Mode) -> None:
    for result in two_ranks(each_rank_accumulate):
        assert_close(result[mode.__name__][-1], averages())


@pytest.mark.processes
@pytest.mark.parametrize("mode", MODES)
def test_after_the_window_gradients_are_equal_bit_for_bit(two_ranks: Any, mode: Mode) -> None:
    one, other = (result[mode.__name__][-1] for result in two_ranks(each_rank_accumulate))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.processes
@pytest.mark.parametrize("mode", [single_auto_sync, forced_sync])
def test_within_the_window_gradients_are_each_ranks_own(two_ranks: Any, mode: Mode) -> None:
    for rank, result in enumerate(two_ranks(each_rank_accumulate)):
        for count in range(1, WINDOW):
            assert_close(result[mode.__name__][count - 1], local_gradients(rank, count))


@pytest.mark.processes
def test_multi_auto_sync_averages_within_the_window_too(two_ranks: Any) -> None:
    for result in two_ranks(each_rank_accumulate):
        for count in range(1, WINDOW):
            assert_close(result["multi_auto_sync"][count - 1], averages(count))


# ---- parameters that some ranks do not use ---------------------------------------------------------------


def each_rank_go_its_way(ranks: Ranks) -> Gradients:
    """Rank 0 uses `left` with a factor of 3, rank 1 `right` with a factor of 5."""
    model = Branches()
    step = DistributedDataParallel(TrainingStep(model))
    factor = torch.tensor([3.0, 5.0])[ranks.rank]
    with forced_sync(step, True):
        step(factor, ranks.rank == 0).backward()
    return gradients(model)


@pytest.mark.processes
def test_forced_sync_averages_each_parameter_with_itself(two_ranks: Any) -> None:
    """A rank without a gradient counts as zeros; left out, it would mix up `left` and `right` (D, sync-mode fact c)."""
    for found in two_ranks(each_rank_go_its_way):
        assert torch.equal(found["left"], torch.full((2,), 1.5))
        assert torch.equal(found["right"], torch.full((2,), 2.5))


@pytest.mark.processes
def test_forced_sync_leaves_what_no_rank_used_without_a_gradient(two_ranks: Any) -> None:
    """As DDP does, with find_unused_parameters: an optimizer tells a gradient of zeros from none."""
    assert [found["unused"] for found in two_ranks(each_rank_go_its_way)] == [None, None]


@pytest.mark.processes
def test_forced_sync_leaves_what_is_frozen_without_a_gradient(two_ranks: Any) -> None:
    assert [found["frozen"] for found in two_ranks(each_rank_go_its_way)] == [None, None]


def each_rank_average_by_hand(ranks: Ranks) -> Gradients:
    """`average_gradients` of a model of its own, whose parameters only rank 1 has gradients of."""
    model = Model()
    if ranks.rank == 1:
        model.training_step(batches(1)[0]).backward()
    average_gradients(model)
    return gradients(model)


@pytest.mark.processes
def test_average_gradients_halves_what_one_rank_alone_has(two_ranks: Any) -> None:
    expected = {name: gradient / 2 for name, gradient in local_gradients(1, 1).items()}
    for found in two_ranks(each_rank_average_by_hand):
        assert_close(found, expected)


# ---- without DDP, and past it ---------------------------------------------------------------------------


def each_rank_modes_without_ddp(ranks: Ranks) -> list[Gradients]:
    """In a world of two, a step that DDP does not wrap: its gradients stay its own."""
    found = []
    for mode in MODES:
        model = Model()
        with mode(TrainingStep(model), True):
            model.training_step(batches(ranks.rank)[0]).backward()
        found.append(gradients(model))
    return found


@pytest.mark.processes
def test_without_ddp_no_mode_averages(two_ranks: Any) -> None:
    for rank, found in enumerate(two_ranks(each_rank_modes_without_ddp)):
        for mode_gradients in found:
            assert_close(mode_gradients, local_gradients(rank, 1))


def each_rank_call_the_step(ranks: Ranks) -> dict[str, Gradients]:
    """A training step as DDP's forward, and one that goes past DDP."""
    found = {}
    for way in ("as forward", "past it"):
        model = Model()
        step = DistributedDataParallel(TrainingStep(model))
        batch = batches(ranks.rank)[0]
        loss = step(batch, 0) if way == "as forward" else model.training_step(batch, 0)
        loss.backward()
        found[way] = gradients(model)
    return found


@pytest.mark.processes
def test_only_a_step_that_is_ddps_forward_is_averaged(two_ranks: Any) -> None:
    for rank, found in enumerate(two_ranks(each_rank_call_the_step)):
        assert_close(found["as forward"], averages(1))
        assert_close(found["past it"], local_gradients(rank, 1))


# ---- buffers ---------------------------------------------------------------------------------------------


class Counting(Model):
    """Whose buffer every step changes, on each rank in its own way."""

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.rank = rank
        self.register_buffer("count", torch.zeros(()))

    def training_step(self, batch: Tensor, batch_idx: int = 0) -> Tensor:
        self.count += 1 + self.rank
        return super().training_step(batch)

    def validation_step(self, batch: Tensor) -> Tensor:
        self.count += 10 * (1 + self.rank)
        return self.count.clone()


def each_rank_count(ranks: Ranks) -> dict[str, list[float]]:
    """The buffer after each forward: two of training, two of validation, two of training."""
    found = {}
    for mode in MODES:
        model, seen = Counting(ranks.rank), []
        step = DistributedDataParallel(ModelStep(model))
        for is_training in (True, True, False, False, True, True):
            batch = batches(ranks.rank)[0]
            if is_training:
                with mode(step, True):
                    step(batch).backward()
            else:
                step.eval()
                with torch.no_grad():
                    step(batch)
                step.train()
            seen.append(model.count.item())
        found[mode.__name__] = seen
    return found


@pytest.mark.processes
@pytest.mark.parametrize("mode", MODES)
def test_buffers_are_shared_in_the_forward_after_a_synced_one(two_ranks: Any, mode: Mode) -> None:
    """Semantics 8.4: as under Lightning, whose validation is a forward of DDP's too."""
    one, other = (found[mode.__name__] for found in two_ranks(each_rank_count))
    assert one == [1, 2, 12, 22, 23, 24]
    assert other == [2, 1 + 2, 2 + 20, 2 + 40, 2 + 42, 23 + 2]


def test_a_models_step_is_the_one_of_its_mode() -> None:
    step = ModelStep(model := Counting(rank=0))
    step(batches(0)[0])
    step.eval()
    step(batches(0)[0])
    assert model.count == 11


# ---- one process -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_in_one_process_every_mode_is_a_plain_backward(mode: Mode) -> None:
    model = Model()
    step = TrainingStep(model)
    for batch_idx, batch in enumerate(batches(0)):
        with mode(step, batch_idx == WINDOW - 1):
            step(batch, batch_idx).backward()
    assert_close(gradients(model), local_gradients(0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_last", [False, True])
def test_an_error_in_the_backward_comes_through(mode: Mode, is_last: bool) -> None:
    with pytest.raises(ZeroDivisionError), mode(TrainingStep(Model()), is_last):
        raise ZeroDivisionError


def test_training_step_is_the_models_and_holds_its_parameters() -> None:
    model = Model()
    step = TrainingStep(model)
    batch = batches(0)[0]
    assert torch.equal(step(batch, 7), model.training_step(batch, 7))
    assert [name for name, _ in step.named_parameters()] == ["model.first", "model.second"]


def test_training_step_passes_on_what_the_step_returns() -> None:
    class Odd(nn.Module):
        def training_step(self, *arguments: Any) -> Any:
            return {"loss": arguments}

    assert TrainingStep(Odd())(1, "two") == {"loss": (1, "two")}


class Bare(nn.Module):
    def __init__(self, module: nn.Module | None = None) -> None:
        super().__init__()
        self.module = module


class Passing(Bare):
    def forward(self, *given: Any) -> Any:
        return None if self.module is None else self.module(*given)


@pytest.mark.parametrize(
    ("kind", "is_given", "waits", "lacks"),
    [
        (Bare, True, False, "a `forward`"),
        (Passing, False, False, "as its `module`"),
        (Passing, True, True, "a method `no_sync`"),
    ],
)
def test_a_wrapper_that_lacks_something_stops_the_script(
    kind: type[Bare], is_given: bool, waits: bool, lacks: str
) -> None:
    step = TrainingStep(Model())
    with pytest.raises(SystemExit, match=f"{kind.__name__} must .*{lacks}"):
        as_wrapper(kind(step if is_given else None), step, waits)


def test_a_wrapper_that_offers_what_is_asked_is_taken() -> None:
    step = TrainingStep(Model())
    wrapper = Passing(step)
    assert as_wrapper(wrapper, step, waits=False) is wrapper
