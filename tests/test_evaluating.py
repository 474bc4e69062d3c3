"""Evaluation: modes and gradients (semantics 8.4), as a script's `validate` has them."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from torch import Tensor, nn

SOURCE = """
import lightning as L
import torch

class Plain(L.LightningModule):
    def freeze_part(self):  # without this, all of it would surely train
        self.net[1].eval()

    def training_step(self, batch, batch_idx):
        return self.net(batch).sum()

    def validation_step(self, batch, batch_idx):
        self.during(self.net(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))

    val_dataloader = train_dataloader
"""
BATCH = torch.tensor([[1.0, 2.0], [3.0, 5.0]])


class Evaluated:
    """A model, of which one part is kept in evaluation mode while it trains, and one part within that is not."""

    def __init__(self, script: SimpleNamespace) -> None:
        self.script, self.model = script, script.Plain()
        self.inner = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2))
        self.model.net = nn.Sequential(nn.Linear(2, 2), self.inner, nn.BatchNorm1d(2))
        self.step = script.ModelStep(self.model)
        self.inner.eval()
        self.inner[0].train()
        self.model.during = lambda output: None

    @property
    def modes(self) -> list[bool]:
        return [module.training for module in self.step.modules()]

    def validate(self) -> None:
        batches = torch.utils.data.DataLoader(BATCH, batch_size=2)
        self.script.validate(self.model, self.step, batches, torch.device("cpu"))


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    path = tmp_path_factory.mktemp("evaluating") / "model.py"
    path.write_text(SOURCE)
    result = CliRunner().invoke(main, ["build", str(path), "--strategy", "ddp"], catch_exceptions=False)
    assert not result.exit_code, result.output
    return SimpleNamespace(**runpy.run_path(str(path.with_name("train_ddp.py"))))


@pytest.fixture
def evaluated(script: SimpleNamespace) -> Iterator[Evaluated]:
    yield Evaluated(script)
    assert torch.is_grad_enabled()


def test_all_is_in_evaluation_mode_and_without_gradients(evaluated: Evaluated) -> None:
    seen = []

    def look(output: Tensor) -> None:
        seen.append((any(evaluated.modes), torch.is_grad_enabled(), output.requires_grad))

    evaluated.model.during = look
    evaluated.validate()
    assert seen == [(False, False, False)]


def test_every_part_gets_its_own_mode_again(evaluated: Evaluated) -> None:
    """A blanket `train()` would wake what the user keeps frozen."""
    before = evaluated.modes
    assert before == [True, True, True, True, False, True, False, True]
    evaluated.validate()
    assert evaluated.modes == before


def test_what_is_in_evaluation_mode_stays_so(evaluated: Evaluated) -> None:
    evaluated.step.eval()
    evaluated.validate()
    assert not any(evaluated.modes)


def test_running_statistics_stand_still(evaluated: Evaluated) -> None:
    torch.manual_seed(0)  # a dropout of everything would leave the mean as it is
    normed = evaluated.model.net[2]
    before = normed.running_mean.clone()
    evaluated.validate()
    assert torch.equal(normed.running_mean, before)
    evaluated.model.net(BATCH)
    assert not torch.equal(normed.running_mean, before)


def test_a_users_no_grad_stays(evaluated: Evaluated) -> None:
    with torch.no_grad():
        evaluated.validate()
        assert not torch.is_grad_enabled()


def test_an_error_inside_comes_through_and_gradients_come_back(evaluated: Evaluated) -> None:
    def fail(output: Tensor) -> None:
        raise ZeroDivisionError

    evaluated.model.during = fail
    with pytest.raises(ZeroDivisionError):
        evaluated.validate()
