"""Evaluation: modes and gradients (semantics 8.4)."""

from __future__ import annotations

import pytest
import torch
from ddpgen.strategies.evaluation import evaluating
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
