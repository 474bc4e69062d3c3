"""Values of steps are copied, unless they are surely computed for the log and changed by nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """\
import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.criterion = nn.MSELoss()
        self.register_buffer("seen", torch.zeros(()))

    def error(self, y):
        return self.seen

    def training_step(self, batch, batch_idx):
        y = self.layer(batch)
        loss = {loss}
        self.log("loss", {logged})
        {then}
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.randn(8, 4))
{more}"""
FRESH = [
    {},
    {"loss": "self.criterion(y, batch.sum())"},
    {"loss": "y.mean()"},
    {"loss": "y.mean() + 0.1 * y.norm()"},
    {"logged": "loss * 2"},
    {"logged": "y.mean()"},
    {"logged": "(y > 0).float().mean()"},
    {"then": 'self.log_dict({"twice": loss * 2, "again": loss})'},
    {"then": 'self.log("seen", self.seen, on_step=False, on_epoch=True)'},
    {"then": "print(loss.item())"},
]
CHANGING = [
    {"loss": "self.seen"},
    {"loss": "self.error(y)"},
    {"loss": "y.float()"},
    {"loss": "y.squeeze()"},
    {"loss": "self.layer.weight[0, 0]"},
    {"logged": "self.seen"},
    {"logged": "y"},
    {"then": "loss *= 2"},
    {"then": "loss.mul_(2)"},
    {"then": "loss.detach().mul_(2)"},
    {"then": "torch.neg(loss, out=loss)"},
    {"then": "loss = loss.clamp_(0)"},
    {"then": "other = loss"},
    {"then": 'self.log("seen", self.seen)'},
    {"then": "self.log_dict(dict(seen=self.seen))"},
    {"then": 'self.log_dict({"seen": self.seen, **{}})'},
    {"more": "\n    def mean(self):\n        return self.seen\n", "logged": "self.mean()"},
    {"more": "\n    def on_before_backward(self, loss):\n        loss.mul_(2)\n"},
    {"more": "\n    def backward(self, loss):\n        loss.mul_(2).backward()\n"},
    {
        "more": '\n    def on_train_batch_end(self, outputs, batch, batch_idx):\n        outputs["loss"].mul_(2)\n'
    },
    {"more": '\n    def on_after_backward(self):\n        self.trainer.callback_metrics["loss"].mul_(2)\n'},
]


def script_of(folder: Path, changes: dict[str, str]) -> str:
    texts = {"loss": "F.mse_loss(y, batch.sum())", "logged": "loss", "then": "", "more": ""} | changes
    (folder / "model.py").write_text(MODEL.format(**texts))
    arguments = ["build", str(folder / "model.py"), "--strategy", "ddp", "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (folder / "train.py").read_text()


@pytest.mark.parametrize("changes", FRESH)
def test_no_copy_is_kept(tmp_path: Path, changes: dict[str, str]) -> None:
    script = script_of(tmp_path, changes)
    assert "self.step_values[name] = value\n" in script or "self.step_values[step_name] = value\n" in script


@pytest.mark.parametrize("changes", CHANGING)
def test_a_copy_is_kept(tmp_path: Path, changes: dict[str, str]) -> None:
    script = script_of(tmp_path, changes)
    assert "] = value.clone()\n" in script
    assert "] = value\n" not in script
