"""`fast_dev_run`: a few batches of everything, of which nothing is kept (1.6)."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import sys

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        self.seen.append(self.current_epoch)
        loss = self.layer(batch[0]).mean()
        self.log("loss", loss)
        return loss

    def on_train_end(self):
        self.logger.experiment.log_metrics({"end": 1.0}, step=0)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 2)))


"""
WHOLE = """import argparse
from pathlib import Path

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.steps_to_come = 0

    def on_train_start(self):
        assert self.trainer.fast_dev_run == 3
        assert self.logger.log_dir is None
        self.steps_to_come = self.trainer.estimated_stepping_batches

    def loss(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_step=True)
        return loss * self.steps_to_come

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch))

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader(count: int, shuffle: bool) -> DataLoader:
    x = torch.linspace(-1, 1, 3 * count).view(count, 3)
    return DataLoader(TensorDataset(x, x.sin().sum(1, keepdim=True)), batch_size=4, shuffle=shuffle)


def main() -> Regressor:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast_dev_run", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    seed_everything(7)
    best = ModelCheckpoint(dirpath="kept_by_the_trial", monitor="val_loss")
    trainer = Trainer(
        max_epochs=args.epochs,
        fast_dev_run=args.fast_dev_run,
        accumulate_grad_batches=2,
        val_check_interval=0.5,
        callbacks=[EarlyStopping("no_such_metric"), best],
        logger=CSVLogger("logs_of_the_trial"),
        enable_progress_bar=False,
    )
    model = Regressor()
    trainer.fit(model, loader(64, shuffle=True), loader(20, shuffle=False))
    trainer.test(model, loader(40, shuffle=False))
    assert trainer.max_steps == 3
    assert not best.best_model_path
    assert not Path("kept_by_the_trial").exists()
    assert not Path("logs_of_the_trial").exists()
    return model


if __name__ == "__main__":
    MODEL = main()
"""
ENTRY = """
model = Net()
trainer = L.Trainer(max_epochs=2, limit_train_batches=2, logger=CSVLogger("logs"), fast_dev_run={value})
trainer.fit(model)
"""


def trained(folder: Path, monkeypatch: pytest.MonkeyPatch, value: str, *arguments: str) -> dict[str, Any]:
    """What a script leaves whose main tries the code out where `value` says so."""
    (folder / "model.py").write_text(MODEL + ENTRY.format(value=value))
    result = CliRunner().invoke(main, ["build", str(folder / "model.py"), "--strategy", "single"])
    assert not result.exit_code, result.output
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["train.py", *arguments])
    return runpy.run_path(str(folder / "train_single.py"), run_name="__main__")


OPEN = "int(sys.argv[1])"


@pytest.mark.parametrize("value", ["3", OPEN])
def test_a_trial(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = trained(tmp_path, monkeypatch, value, "3")
    assert left["model"].seen == [0, 0, 0]
    assert not (tmp_path / "logs").exists()
    assert not (tmp_path / "runs").exists()


def test_a_run_of_the_same_script_that_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = trained(tmp_path, monkeypatch, OPEN, "0")
    assert left["model"].seen == [0, 0, 1, 1]
    assert (tmp_path / "logs").exists()
    assert (tmp_path / "runs" / "net" / "last.ckpt").exists()


def test_true_is_one_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trained(tmp_path, monkeypatch, "bool(sys.argv[1])", "x")["model"].seen == [0]


def test_off_leaves_nothing_in_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained(tmp_path, monkeypatch, "False")
    script = (tmp_path / "train_single.py").read_text()
    assert "fast_dev_run" not in script
    assert "post_init" not in script


def test_in_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.py").write_text(
        MODEL.replace('self.logger.experiment.log_metrics({"end": 1.0}, step=0)', "...")
    )
    (tmp_path / "one.yaml").write_text("strategy: single\ntrainer: {max_epochs: 9, fast_dev_run: true}\n")
    command = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "one.yaml")]
    result = CliRunner().invoke(main, command)
    assert not result.exit_code, result.output
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train.py"])
    runpy.run_path(str(tmp_path / "train_one.py"), run_name="__main__")
    assert not (tmp_path / "runs").exists()


def test_a_main_trains_as_under_lightning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accumulation, callbacks, an interval, the schedule's length, a test: all that a trial changes."""
    (tmp_path / "model.py").write_text(WHOLE)
    result = CliRunner().invoke(main, ["build", str(tmp_path / "model.py"), "--strategy", "single"])
    assert not result.exit_code, result.output
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train.py"])
    names = ("model.py", "train_single.py")
    theirs, ours = (runpy.run_path(name, run_name="__main__")["MODEL"].state_dict() for name in names)
    assert all(torch.equal(theirs[name], ours[name]) for name in theirs)
    assert not (tmp_path / "runs").exists()
