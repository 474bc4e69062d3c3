"""Evaluation: modes and gradients (semantics 8.4)."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loop.evaluation import evaluating, share_states, show_results, show_values
from torch import nn


def a_model() -> nn.Sequential:
    """Of which one part is kept in evaluation mode while it trains, and one part within that is not."""
    inner = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2))
    model = nn.Sequential(nn.Linear(2, 2), inner, nn.BatchNorm1d(2))
    model.train()
    inner.eval()
    inner[0].train()
    return model


def modes(model: nn.Module) -> list[bool]:
    return [module.training for module in model.modules()]


def test_all_is_in_evaluation_mode_and_without_gradients() -> None:
    model = a_model()
    with evaluating(model):
        assert modes(model) == [False] * 6
        assert not torch.is_grad_enabled()
        assert not model(torch.ones(3, 2)).requires_grad
    assert torch.is_grad_enabled()


def test_every_part_gets_its_own_mode_again() -> None:
    """A blanket `train()` would wake what the user keeps frozen."""
    model = a_model()
    before = modes(model)
    assert before == [True, True, False, True, False, True]
    with evaluating(model):
        pass
    assert modes(model) == before


def test_what_the_loop_itself_evaluates_stays_so() -> None:
    model = a_model().eval()
    with evaluating(model):
        pass
    assert modes(model) == [False] * 6


def test_frozen_parameters_stay_frozen_and_others_do_not() -> None:
    model = a_model()
    model[0].requires_grad_(False)
    with evaluating(model):
        pass
    assert [parameter.requires_grad for parameter in model.parameters()] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]


def test_running_statistics_stand_still() -> None:
    model = a_model()
    before = model[2].running_mean.clone()
    with evaluating(model):
        model(torch.randn(4, 2))
    assert torch.equal(model[2].running_mean, before)
    model(torch.randn(4, 2))
    assert not torch.equal(model[2].running_mean, before)


def test_a_users_no_grad_stays() -> None:
    with torch.no_grad():
        with evaluating(a_model()):
            pass
        assert not torch.is_grad_enabled()


def test_an_error_inside_comes_through_and_gradients_come_back() -> None:
    with pytest.raises(ZeroDivisionError), evaluating(a_model()):
        raise ZeroDivisionError
    assert torch.is_grad_enabled()


def test_results_are_shown_loader_by_loader(capsys: pytest.CaptureFixture[str]) -> None:
    show_results(
        [{"loss/dataloader_idx_0": 0.5, "end": 1.0}, {"loss/dataloader_idx_1": 0.25, "end": 1.0}], "Test"
    )
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["Test", "metric", "DataLoader", "0", "DataLoader", "1"],
        ["end", "1.0", "1.0"],
        ["loss", "0.5", "0.25"],
    ]


def test_the_values_of_one_loader_are_shown_as_those_of_several_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_results([{"loss": 0.5, "end": 1.0}], "Test")
    several = capsys.readouterr().out
    show_values({"loss": 0.5, "end": 1.0}, "Test")
    assert capsys.readouterr().out == several


def test_nothing_is_shown_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show_results([{}], "Test")
    show_values({}, "Test")
    assert not capsys.readouterr().out


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
