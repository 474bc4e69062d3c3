"""Communication hooks: what they need of a backend, and that DDP's buckets are laid out again (15.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.data_parallel.comm_hooks import (
    CommHook,
    PowerSGD,
    require_bf16_collectives,
    require_one_bucket,
)
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, batched_powerSGD_hook
from torch.nn.parallel import DistributedDataParallel

Buckets = list[list[tuple[int, ...]]]


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


class Model(nn.Module):
    """Layers that are used in another order than that in which they are made."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.first = nn.Linear(16, 8), nn.Linear(4, 16)
        self.norm = nn.BatchNorm1d(16)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.norm(self.first(x))).pow(2).mean()


class Seen:
    """Which parameters each bucket of a step had."""

    def __init__(self) -> None:
        self.buckets: Buckets = []

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


def seen(state, bucket):  # type: ignore[no-untyped-def]  # torch reads annotations
    state.buckets.append([tuple(each.shape) for each in bucket.parameters()])
    future: Any = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def wrapped(**options: Any) -> DistributedDataParallel:
    return DistributedDataParallel(Model(), gradient_as_bucket_view=True, **options)


def buckets_of(step: DistributedDataParallel, hook: CommHook) -> Buckets:
    hook.state.buckets.clear()
    step(torch.ones(3, 4)).backward()
    return list(hook.state.buckets)


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "static graph": {"static_graph": True},
    "unused parameters": {"find_unused_parameters": True},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_buckets_are_laid_out_again(name: str) -> None:
    options = {"bucket_cap_mb": 0.0001, **OPTIONS[name]}
    step, hook = wrapped(**options), CommHook(Seen(), seen)
    hook.register(step)
    first, *_, later = (buckets_of(step, hook) for _ in range(4))
    assert (first == later) == (name == "unused parameters"), "which DDP never lays out anew"
    assert len(later) > 1
    again, resumed = wrapped(**options), CommHook(Seen(), seen)
    resumed.register(again)
    resumed.load_state_dict(hook.state_dict())
    assert all(each.grad is None for each in again.parameters())
    assert [buckets_of(again, resumed) for _ in range(3)] == [later] * 3
    assert resumed.state_dict() == hook.state_dict(), "a run that goes on can be stopped, too"


def test_what_was_stopped_before_its_first_step() -> None:
    hook = CommHook(Seen(), seen)
    hook.register(wrapped())
    hook.load_state_dict({"order": [], "state": {}})
    assert not hook.state.buckets


def test_a_run_of_one_process_has_a_state_but_no_buckets() -> None:
    hook = CommHook(PowerSGD(torch.device("cpu"), random_seed=4), seen)
    saved = hook.state_dict()
    assert saved["order"] == []
    hook.state.rng.randint(10)
    hook.load_state_dict(saved)
    assert hook.state_dict() == saved


def test_power_sgds_state_is_plain(tmp_path: Any) -> None:
    """As checkpoints are read without running code in them."""
    state = PowerSGD(torch.device("cpu"), matrix_approximation_rank=2)
    state.iter, state.error_dict = 5, {0: torch.ones(3)}
    state.rng.randint(100)
    torch.save(state.state_dict(), tmp_path / "state.pt")
    other = PowerSGD(torch.device("cpu"), matrix_approximation_rank=2)
    other.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert other.iter == 5
    assert torch.equal(other.error_dict[0], torch.ones(3))
    assert other.rng.randint(1000) == state.rng.randint(1000)


def test_nothing_of_power_sgds_state_is_left_out() -> None:
    arguments = {*PowerSGDState.__init__.__code__.co_varnames[1:11]}
    saved = PowerSGD(torch.device("cpu")).state_dict().keys()
    assert {*PowerSGDState.__slots__} - {"process_group"} == saved | (
        arguments & {*PowerSGDState.__slots__} - {"process_group"}
    )


ONE_BUCKET = {
    "one bucket": ({}, ""),
    "several": ({"bucket_cap_mb": 0.0001}, "needs all gradients in one bucket: bucket_cap_mb=1"),
    "several in a list": ({"bucket_cap_mb_list": [0.0001, 5]}, "in one bucket"),
    "unused parameters": ({"find_unused_parameters": True}, "cannot go with find_unused_parameters"),
}


@pytest.mark.parametrize("name", ONE_BUCKET)
def test_power_sgd_over_gloo(name: str) -> None:
    """Its collectives are sent by threads, in no order over several buckets: it would hang."""
    options, sentence = ONE_BUCKET[name]
    stops(lambda: require_one_bucket(wrapped(**options)), sentence)


def test_power_sgd_over_gloo_with_two_types() -> None:
    model = Model()
    model.last.to(torch.float64)
    stops(lambda: require_one_bucket(DistributedDataParallel(model)), "of one type")


def test_power_sgd_over_gloo_with_a_model_larger_than_torchs_first_bucket() -> None:
    step = DistributedDataParallel(nn.Linear(600, 600))
    stops(lambda: require_one_bucket(step), "bucket_cap_mb=2")
    stops(lambda: require_one_bucket(DistributedDataParallel(nn.Linear(600, 600), bucket_cap_mb=2)), "")


@pytest.mark.parametrize("backend", ["nccl", "xccl", ""])
def test_bf16_needs_a_torch_with_nccl_or_xccl(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nccl", "xccl"):
        monkeypatch.setattr(dist, f"is_{name}_available", lambda name=name: name == backend)
    stops(require_bf16_collectives, "" if backend else "fp16 hooks do not")


def stops(run: Any, sentence: str) -> None:
    """It ends with such a sentence; empty: it does not."""
    if not sentence:
        run()
        return
    with pytest.raises(SystemExit, match=re.escape(sentence)):
        run()


def test_torchs_batched_hook_fails() -> None:
    """Which is why there is none; where this fails, torch has mended it."""
    step = wrapped()
    step.register_comm_hook(PowerSGDState(None, start_powerSGD_iter=2), batched_powerSGD_hook)
    for _ in range(2):
        step(torch.ones(3, 4)).backward()
    with pytest.raises(AssertionError):
        step(torch.ones(3, 4)).backward()
