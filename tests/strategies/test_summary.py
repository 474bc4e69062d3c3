"""What is told of a model's layers, and of methods, as Lightning tells it."""

from __future__ import annotations

import lightning as L
import pytest
from ddpgen.strategies.distributed.rank_zero import env_rank
from ddpgen.strategies.loop.overridden import is_overridden
from ddpgen.strategies.loop.summary import summarize
from lightning.pytorch.utilities.model_summary import summarize as lightnings
from torch import nn


class Net(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2)))
        self.head = nn.Linear(2, 1).requires_grad_(False)


@pytest.mark.parametrize("max_depth", [-1, 0, 1, 2, 3])
def test_layers_are_lightnings(max_depth: int) -> None:
    ours, theirs = summarize(Net(), max_depth), lightnings(Net(), max_depth)
    for name in ("layer_names", "layer_types", "param_nums", "total_layer_params", "total_parameters"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.trainable_parameters == theirs.trainable_parameters
    assert ours.model_size == pytest.approx(theirs.model_size)
    assert str(ours).splitlines()[-1].split() == ["total", "26"]


def test_methods_of_ones_own() -> None:
    class Base(nn.Module):
        def on_fit_start(self) -> None: ...

    TrainModule = type("TrainModule", (nn.Module,), {"on_fit_end": lambda self: None})
    made = type("Made", (Base, TrainModule), {})()
    assert is_overridden("on_fit_start", made)
    assert not is_overridden("on_fit_end", made)
    assert not is_overridden("state_dict", made)


def test_the_rank_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    assert env_rank() is None
    monkeypatch.setenv("RANK", "3")
    assert env_rank() == 3
