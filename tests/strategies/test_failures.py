"""What is told of a run that fails, and that what ended it is not lost over that."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ddpgen.strategies.loop.failures import on_failure


def failing(told: list[str]) -> Any:
    def report(model: Any, error: BaseException) -> None:
        told.append(f"{model.trainer}: {error}")

    @on_failure(report)
    def fit(model: Any) -> None:
        raise SystemExit("cannot join the process group")

    return fit


def test_a_failure_is_told_and_goes_on() -> None:
    told: list[str] = []
    with pytest.raises(SystemExit, match="cannot join"):
        failing(told)(SimpleNamespace(trainer="trainer"))
    assert told == ["trainer: cannot join the process group"]


@pytest.mark.parametrize("model", [SimpleNamespace(), None])
def test_before_the_model_has_a_trainer_no_one_is_told(model: Any) -> None:
    told: list[str] = []
    with pytest.raises(SystemExit, match="cannot join"):
        failing(told)(model)
    assert not told
