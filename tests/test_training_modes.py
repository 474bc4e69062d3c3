"""Where all modules surely train, an evaluation ends with `train()`; else each gets the mode again that it had."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """\
import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader{imports}


class Data(pl.LightningDataModule):
    def setup(self, stage):
        self.train = torch.randn(8, 4)

    def train_dataloader(self):
        return DataLoader(self.train)

    def val_dataloader(self):
        return DataLoader(torch.randn(8, 4))


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        {made}

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def validation_step(self, batch, batch_idx):
        self.log("loss", self.layer(batch).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
{more}"""
KEEPS = [
    {"made": "self.layer.eval()"},
    {"made": "self.layer.train(False)"},
    {"made": "self.switch = self.layer.train"},
    {"made": "self.layer.training = False"},
    {"made": "self.freeze()"},
    {"made": 'getattr(self.layer, "ev" + "al")()'},
    {"made": 'vars(self.layer)["training"] = False'},
    {"made": 'self.teacher = torch.hub.load("x/y", "z")'},
    {"made": 'self.teacher = torch.load("teacher.pt", weights_only=False)'},
    {"made": "self.net = make()", "imports": "\nfrom timm import create_model as make"},
    {"made": "import timm; self.net = timm.create_model('x')"},
    {"more": "\n    def train(self, mode=True):\n        return super().train(mode and not self.is_fixed)\n"},
    {"more": "\n    def configure_callbacks(self):\n        return [pl.callbacks.BackboneFinetuning()]\n"},
]


def script_of(folder: Path, changes: dict[str, str], spec: str = "ddp") -> str:
    texts = {"made": "", "imports": "", "more": ""} | changes
    (folder / "model.py").write_text(MODEL.format(**texts))
    arguments = ["build", str(folder / "model.py"), "--strategy", spec, "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (folder / "train.py").read_text()


def test_all_train_where_nothing_says_otherwise(tmp_path: Path) -> None:
    script = script_of(tmp_path, {})
    assert "    step.train()\n" in script
    assert "modes = " not in script


@pytest.mark.parametrize("changes", KEEPS)
def test_each_keeps_its_mode(tmp_path: Path, changes: dict[str, str]) -> None:
    script = script_of(tmp_path, changes)
    assert "    step.train()\n" not in script
    assert "    modes = [(module, module.training)" in script
