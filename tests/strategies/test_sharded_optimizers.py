"""Each of torch's optimizers goes on with its states shared out, here among one rank."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.sharding.sharded_optimizer import shard_states
from parity.differences import first_difference
from torch import nn
from torch.optim.lr_scheduler import StepLR

KINDS: dict[str, dict[str, Any]] = {
    "Adadelta": {},
    "Adafactor": {},
    "Adagrad": {"initial_accumulator_value": 0.1},
    "Adam": {"amsgrad": True},
    "AdamW": {"fused": True},
    "Adamax": {},
    "ASGD": {},
    "NAdam": {},
    "RAdam": {"foreach": True},
    "RMSprop": {"momentum": 0.5},
    "Rprop": {},
    "SGD": {"momentum": 0.9, "nesterov": True},
}


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


class Own(torch.optim.SGD):
    """An optimizer with an argument that its groups do not have."""

    def __init__(self, params: Any, scale: float) -> None:
        super().__init__(params, lr=0.1)
        self.scale = scale

    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for each in group["params"]:
                each.data -= self.scale * each.grad


def made(name: str) -> tuple[nn.Module, Any, StepLR]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    if name == "Own":
        optimizer: Any = Own(model.parameters(), scale=0.3)
    else:
        groups = [{"params": model[0].parameters(), "lr": 0.05}, {"params": model[1].parameters()}]
        optimizer = getattr(torch.optim, name)(groups, **KINDS[name])
    return model, optimizer, StepLR(optimizer, 2, 0.5)


def trained(name: str, shares: bool, turns: tuple[int, ...]) -> dict[str, Any]:
    """What a checkpoint has after so many steps, stopped and begun anew between turns."""
    found: dict[str, Any] = {}
    for steps in turns:
        model, optimizer, scheduler = made(name)
        if shares:
            shard_states(optimizer)
        for each, part in (model, "model"), (optimizer, "optimizer"), (scheduler, "scheduler"):
            if found:
                each.load_state_dict(found[part])
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.ones(3, 4)).pow(2).sum().backward()
            optimizer.step()
            scheduler.step()
        found = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        found["scheduler"] = scheduler.state_dict()
    return found


@pytest.mark.parametrize("name", [*KINDS, "Own"])
def test_trains_as_before(name: str) -> None:
    """Schedulers see the steps: they do not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        expected, actual = trained(name, False, (5,)), trained(name, True, (3, 2))
    assert not (difference := first_difference(expected, actual, name)), difference


def test_gradients_are_unscaled_for_all_ranks() -> None:
    """A fused optimizer would leave that to its own step."""
    results = []
    for fused in (False, True):
        parameter = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.Adam([parameter], lr=0.1, fused=fused)
        shard_states(optimizer)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**30)
        scaler.scale((parameter * 1e-4).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        results.append(parameter.detach())
    assert torch.equal(*results)


def test_what_cannot_be_shared_out() -> None:
    parameters = [nn.Parameter(torch.ones(3))]
    with pytest.raises(SystemExit, match="LBFGS"):
        shard_states(torch.optim.LBFGS(parameters))
    patched, hooked = torch.optim.SGD(parameters), torch.optim.SGD(parameters)
    patched.step = lambda closure=None: None  # type: ignore[method-assign, assignment]
    with pytest.raises(SystemExit, match="step is replaced"):
        shard_states(patched)
    hooked.register_state_dict_post_hook(lambda optimizer, state: None)
    with pytest.raises(SystemExit, match="hooks of states"):
        shard_states(hooked)
