"""Norms of gradients, and usable GPUs, as Lightning tells them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from ddpgen.strategies.distributed.devices import find_usable_cuda_devices, gpu_ids
from ddpgen.strategies.loop.gradients import grad_norm
from lightning.fabric.accelerators.cuda import find_usable_cuda_devices as lightnings_devices
from lightning.fabric.utilities import device_parser
from lightning.pytorch.utilities import grad_norm as lightnings_norm
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from torch import nn


@pytest.mark.parametrize("norm_type", [1, 2, 2.5, "inf"])
def test_norms_are_lightnings(norm_type: float | str) -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1), nn.Linear(2, 2))
    assert grad_norm(model, norm_type) == lightnings_norm(model, norm_type) == {}
    model[:2](torch.ones(2, 4)).sum().backward()
    assert grad_norm(model, norm_type, "_") == lightnings_norm(model, norm_type, "_")


def test_a_norm_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        grad_norm(nn.Linear(1, 1), 0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="tells what is said on a machine without GPUs")
@pytest.mark.parametrize("count", [-1, 1])
def test_no_devices(count: int) -> None:
    for find in (find_usable_cuda_devices, lightnings_devices):
        with pytest.raises(ValueError, match="devices"):
            find(count)


def test_as_many_devices_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(torch, "tensor", _taken_is_the_first)
    assert find_usable_cuda_devices() == [1, 2]
    assert find_usable_cuda_devices(1) == [1]
    assert find_usable_cuda_devices(0) == []
    with pytest.raises(ValueError, match="3 CUDA devices"):
        find_usable_cuda_devices(3)


@pytest.mark.parametrize("launched", [False, True])
@pytest.mark.parametrize("there", [0, 1, 3])
@pytest.mark.parametrize(
    "asked", [0, 1, 2, -1, -2, "0", "2", "-1", "0,", "2, 1", "1,1", [], [0], [2, 0], [0, 0]]
)
def test_numbers_of_devices(
    asked: int | str | list[int], there: int, launched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    monkeypatch.setattr(torch.distributed, "is_torchelastic_launched", lambda: launched)
    found = [_numbers(find, asked) for find in (gpu_ids, device_parser._parse_gpu_ids)]
    assert found[0] == found[1]


def _numbers(find: Callable[..., list[int] | None], asked: int | str | list[int]) -> list[int] | str | None:
    try:
        return find(asked, include_cuda=True)
    except (ValueError, MisconfigurationException):
        return "refused"


def _taken_is_the_first(value: int, device: torch.device) -> None:
    if device.index == 0:
        raise RuntimeError("busy")
