"""Norms of gradients, and usable GPUs, as Lightning tells them."""

from __future__ import annotations

import pytest
import torch
from ddpgen.strategies.distributed.devices import find_usable_cuda_devices
from ddpgen.strategies.loop.gradients import grad_norm
from lightning.fabric.accelerators.cuda import find_usable_cuda_devices as lightnings_devices
from lightning.pytorch.utilities import grad_norm as lightnings_norm
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


def _taken_is_the_first(value: int, device: torch.device) -> None:
    if device.index == 0:
        raise RuntimeError("busy")
