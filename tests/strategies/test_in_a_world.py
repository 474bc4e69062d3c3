"""What little of the other modules needs several ranks: together, so that they start once."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from ddpgen.strategies.evaluation import broadcast_buffers
from ddpgen.strategies.module import TrainModule
from ddpgen.strategies.randomness import gather_from_ranks, rng_state, seed_everything, set_rng_state
from ddpgen.strategies.ranks import Ranks
from torch import nn

pytestmark = pytest.mark.processes


# ---- buffers ---------------------------------------------------------------------------------------------


def each_rank_broadcast(ranks: Ranks) -> list[Any]:
    torch.manual_seed(ranks.rank)
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    for buffer in model.buffers():
        buffer.fill_(ranks.rank + 5)
    model.register_buffer("passing", torch.tensor([float(ranks.rank)]), persistent=False)
    broadcast_buffers(model)
    return [[buffer.tolist() for buffer in model.buffers()], model[0].weight.tolist()]


def test_every_rank_gets_the_buffers_of_rank_zero_and_keeps_its_weights(two_ranks: Any) -> None:
    """Semantics 8.4: as DDP's forward would, had it been called."""
    (buffers, weight), (also, other_weight) = two_ranks(each_rank_broadcast)
    assert buffers == also == [[0.0], [5.0, 5.0], [5.0, 5.0], 5]
    assert weight != other_weight


# ---- random states ---------------------------------------------------------------------------------------


def draws() -> list[float]:
    return [random.random(), float(np.random.rand()), torch.rand(()).item()]


def each_rank_gather(ranks: Ranks) -> list[Any]:
    seed_everything(ranks.rank)
    return [gather_from_ranks(rng_state(), ranks), gather_from_ranks(ranks.rank * 10, ranks), draws()]


def test_every_rank_has_all_states_in_the_ranks_order(two_ranks: Any) -> None:
    found = two_ranks(each_rank_gather)
    for states, numbers, _ in found:
        assert numbers == [0, 10]
        for state, (_, _, drawn) in zip(states, found, strict=True):
            set_rng_state(state)
            assert draws() == drawn


# ---- ranks -----------------------------------------------------------------------------------------------


def each_rank_look(ranks: Ranks) -> int:
    return TrainModule().global_rank


def test_a_models_rank_is_the_process_groups(two_ranks: Any) -> None:
    assert two_ranks(each_rank_look) == [0, 1]
