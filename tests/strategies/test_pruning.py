"""Optuna's trials: what a callback tells them, and where they end."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from ddpgen.strategies.callbacks.pruning import PyTorchLightningPruningCallback


class TrialPruned(Exception):
    pass


class Trial:
    """One of Optuna's that is pruned when its metric is over a limit."""

    def __init__(self, limit: float = 1.0) -> None:
        self.limit = limit
        self.reports: list[tuple[float, int]] = []

    def report(self, value: float, step: int) -> None:
        self.reports.append((value, step))

    def should_prune(self) -> bool:
        return self.reports[-1][0] > self.limit


@pytest.fixture(autouse=True)
def optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of that name, with all that the callback asks of it."""
    module = ModuleType("optuna")
    module.TrialPruned = TrialPruned  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "optuna", module)


def trainer(value: float | None = 0.5, **others: Any) -> SimpleNamespace:
    metrics = {} if value is None else {"val_loss": torch.tensor(value)}
    told = {"sanity_checking": False, "current_epoch": 3, "world_size": 1, "callback_metrics": metrics}
    return SimpleNamespace(**{**told, **others})


def test_the_metric_is_reported() -> None:
    trial = Trial()
    PyTorchLightningPruningCallback(trial, monitor="val_loss").on_validation_end(trainer(), None)
    assert trial.reports == [(0.5, 3)]


def test_a_trial_that_is_pruned_ends_the_run() -> None:
    with pytest.raises(TrialPruned, match="pruned at epoch 3"):
        PyTorchLightningPruningCallback(Trial(0.1), "val_loss").on_validation_end(trainer(), None)


def test_the_sanity_check_reports_nothing() -> None:
    trial = Trial()
    PyTorchLightningPruningCallback(trial, "val_loss").on_validation_end(trainer(sanity_checking=True), None)
    assert not trial.reports


def test_a_metric_that_is_missing_is_told() -> None:
    with pytest.warns(UserWarning, match="no 'val_loss' to prune by"):
        PyTorchLightningPruningCallback(Trial(), "val_loss").on_validation_end(trainer(None), None)


def test_several_processes_are_refused() -> None:
    callback = PyTorchLightningPruningCallback(Trial(), "val_loss")
    with pytest.raises(RuntimeError, match="one process alone"):
        callback.on_fit_start(trainer(world_size=2), None)
    callback.on_fit_start(trainer(), None)
    callback.check_pruned()
