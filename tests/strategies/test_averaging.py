"""Local SGD: what does not fit the ranks, and what checkpoints have of it before ranks differ."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.data_parallel.local_sgd import LocalSGD, by_groups, every, local_gradients


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_groups_have_to_divide_the_ranks() -> None:
    with pytest.raises(SystemExit, match="cannot be divided into groups of 2"):
        local_gradients(4, 2, True)
    with pytest.raises(SystemExit, match="groups of 1, 2: the last has to be all 1 ranks"):
        by_groups({2: 1, 4: 2}, 0)


def test_checkpoints_have_models_once_ranks_differ() -> None:
    layer = torch.nn.Linear(2, 1)
    optimizer, local_sgd = torch.optim.SGD(layer.parameters()), LocalSGD(every(4, 2), 2)
    local_sgd.follow(optimizer)
    found = []
    for _ in range(3):
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        found.append(local_sgd.state_dict(layer, optimizer).keys())
    assert found == [{"steps"}, {"steps"}, {"steps", "model", "optimizer"}]


def test_a_world_of_one_takes_the_first_ranks() -> None:
    layer, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    optimizer, alone = torch.optim.SGD(layer.parameters()), LocalSGD(None, 2)
    state = {"steps": 5, "model": other.state_dict(), "optimizer": optimizer.state_dict()}
    alone.load_state_dict(layer, optimizer, state)
    assert torch.equal(layer.weight, other.weight)
    assert alone.state_dict(layer, optimizer) == {"steps": 0}
