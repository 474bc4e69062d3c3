"""Steps whose gradients are NaN or infinite: training ends, or they are left out."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loop.gradients import SkipNaN, StopAtNaN
from torch import nn

CPU = torch.device("cpu")
BAD = [float("nan"), float("inf"), float("-inf")]
OPTIMIZERS = {
    "adamw": lambda weights: torch.optim.AdamW(weights, lr=0.1),
    "fused adamw": lambda weights: torch.optim.AdamW(weights, lr=0.1, fused=True),
    "fused sgd": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9, fused=True),
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9, weight_decay=0.1),
}


def a_step(model: nn.Module, value: float) -> None:
    """Gradients, one of which is this."""
    model.zero_grad()
    model(torch.ones(2, 3)).sum().backward()
    model.weight.grad[0, 1] = value


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("bad", BAD)
def test_a_step_that_is_left_out_changes_nothing(
    name: str, bad: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights and states are then those of a training without the step."""
    torch.manual_seed(0)
    models = [nn.Linear(3, 2)]
    models.append(deepcopy(models[0]))
    optimizers: list[Any] = [OPTIMIZERS[name](model.parameters()) for model in models]
    watch = SkipNaN(optimizers[0], CPU)
    for value in (1.0, bad, 2.0, bad):
        a_step(models[0], value)
        watch.look()
        watch.step()
        if value is not bad:
            a_step(models[1], value)
            optimizers[1].step()
    for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.equal(one, other)
        states = [optimizer.state[each] for optimizer, each in zip(optimizers, (one, other), strict=True)]
        assert all(torch.equal(states[0][key], states[1][key]) for key in states[1])
    for _ in range(2):
        watch.tell(Ranks(0, 0, 1))
    watch.tell(Ranks(1, 1, 2))
    assert capsys.readouterr().out == "steps left out, as gradients were NaN or infinite: 2\n"


@pytest.mark.parametrize("bad", BAD)
def test_training_ends_at_the_next_look(bad: float) -> None:
    model = nn.Linear(3, 2)
    watch = StopAtNaN(torch.optim.SGD(model.parameters(), lr=0.1), CPU, 4)
    for step, value in enumerate([1.0, 1.0, bad]):
        a_step(model, value)
        watch.look(step)
    with pytest.raises(SystemExit, match="step 2: gradients are NaN or infinite"):
        watch.require_finite()
    a_step(model, 1.0)
    with pytest.raises(SystemExit, match="step 2: gradients are NaN or infinite"):
        watch.look(3)


def test_weights_are_not_saved_that_are_not_finite() -> None:
    model = nn.Linear(3, 2)
    watch = StopAtNaN(torch.optim.SGD(model.parameters(), lr=0.1), CPU, 0)
    a_step(model, 1e30)
    watch.look(0)
    watch.require_finite()
    with torch.no_grad():
        model.weight[1, 2] = float("inf")
    with pytest.raises(SystemExit, match="weights are NaN or infinite: they are not saved"):
        watch.require_finite()


def test_without_gradients_there_is_nothing_to_find() -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    StopAtNaN(optimizer, CPU, 1).look(0)
    skipping = SkipNaN(optimizer, CPU)
    skipping.look()
    skipping.step()
