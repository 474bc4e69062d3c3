"""Manual optimization's parts, held against Lightning's own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from ddpgen.strategies.loop.manual import manual_outputs, read_several
from lightning.pytorch.core.optimizer import _configure_optimizers, _configure_schedulers_manual_opt
from lightning.pytorch.loops.optimization.manual import ManualResult
from torch.optim import SGD, Adam, Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau, StepLR


def two() -> tuple[Optimizer, Optimizer]:
    return SGD([torch.zeros(1)], lr=0.1), Adam([torch.zeros(1)])


ONE, OTHER = two()
STEP: LRScheduler = StepLR(ONE, 1)
PLATEAU = ReduceLROnPlateau(OTHER)

CONFIGURED: list[Any] = [
    ONE,
    [ONE],
    (ONE,),
    [ONE, OTHER],
    (ONE, OTHER),
    ([ONE, OTHER], []),
    ([ONE, OTHER], [STEP, PLATEAU]),
    [[ONE, OTHER], [STEP]],
    ([ONE], STEP),
    ([ONE], {"scheduler": STEP, "interval": "step"}),
    ([ONE, OTHER], [{"scheduler": STEP, "frequency": 3}, PLATEAU]),
    {"optimizer": ONE},
    {"optimizer": ONE, "lr_scheduler": STEP},
    {"optimizer": OTHER, "lr_scheduler": {"scheduler": PLATEAU, "monitor": "loss"}},
    [{"optimizer": ONE}, {"optimizer": OTHER, "lr_scheduler": PLATEAU}],
    ({"optimizer": ONE, "lr_scheduler": {"scheduler": STEP}}, {"optimizer": OTHER}),
    [{"optimizer": ONE, "lr_scheduler": STEP}],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("configured", CONFIGURED)
def test_every_form_is_read_as_lightning_reads_it(configured: Any) -> None:
    """14: as automatic optimization reads them, but for what says when schedulers step."""
    optimizers, schedulers, _ = _configure_optimizers(configured)
    expected = [config.scheduler for config in _configure_schedulers_manual_opt(schedulers)]
    read, read_schedulers = read_several(configured)
    assert [id(each) for each in read] == [id(each) for each in optimizers]
    assert [id(each) for each in read_schedulers] == [id(each) for each in expected]


def test_nothing_is_configured() -> None:
    assert read_several(None) == ([], [])


LOSS = torch.ones(1, requires_grad=True).sum()


@pytest.mark.parametrize("output", [None, LOSS, {}, {"loss": LOSS, "more": LOSS}, {"more": 3}])
def test_outputs_are_those_of_lightning(output: Any) -> None:
    expected = ManualResult.from_training_step_output(output).asdict()
    outputs = manual_outputs(output)
    assert outputs.keys() == expected.keys()
    for name, value in outputs.items():
        assert value == expected[name]
        assert getattr(value, "requires_grad", None) == getattr(expected[name], "requires_grad", None)
