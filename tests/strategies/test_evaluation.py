"""Evaluation: when it is due by the clock, and the same weights everywhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loop import evaluation
from ddpgen.strategies.loop.evaluation import ValidationClock, share_states
from torch import nn


@pytest.mark.parametrize("rank", [0, 1])
def test_the_clock_of_rank_0_says_when_to_validate(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now, votes = [100.0], []

    def any_rank(decision: bool) -> bool:
        votes.append(decision)
        return decision

    monkeypatch.setattr(evaluation, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(evaluation, "any_rank", any_rank)
    for name, value in {"is_initialized": True, "get_rank": rank}.items():
        monkeypatch.setattr(evaluation.dist, name, lambda value=value: value)
    clock = ValidationClock("00:00:00:10")
    for moment in (109.5, 110.0, 119.5, 120.0):
        now[0] = moment
        if clock.is_due():
            clock.restart()
    assert votes == [False, rank == 0, False, rank == 0]  # each time on each rank


def each_rank_share_states(ranks: Ranks) -> list[float]:
    model = nn.BatchNorm1d(1)
    model.weight.data.fill_(ranks.rank)
    model.running_mean.fill_(10.0 + ranks.rank)
    model.register_buffer("kept", torch.tensor(20.0 + ranks.rank), persistent=False)
    share_states(model)
    return [model.weight.item(), model.running_mean.item(), model.kept.item()]


@pytest.mark.processes
def test_every_rank_has_the_weights_and_buffers_of_rank_0(two_ranks: Any) -> None:
    assert two_ranks(each_rank_share_states) == [[0.0, 10.0, 20.0]] * 2
