"""Data of packages that are not read: whether it has a length is asked when the script runs."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main

PACKAGE = """
import torch
from torch.utils.data import IterableDataset


class Rows:
    def __init__(self, count):
        self.rows = torch.arange(3.0 * count).reshape(count, 3) / count

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def map(self, function):
        return self


class Flow(IterableDataset):
    def __init__(self, count):
        self.rows = Rows(count)

    def __iter__(self):
        return (self.rows[index] for index in range(len(self.rows)))

    def map(self, function):
        return self


def rows(count, is_endless):
    return Flow(count) if is_endless else Rows(count)
"""
MODEL = """
import os
import lightning as L
import torch
from torch.utils.data import DataLoader
from unread_streams import Flow, rows

FLOWS = bool(os.environ["FLOWS"])


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(rows(12, FLOWS), batch_size=2)

    def val_dataloader(self):
        return DataLoader(rows(6, FLOWS), batch_size=2)

    test_dataloader = predict_dataloader = val_dataloader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.seen.append(batch_idx)

    def test_step(self, batch, batch_idx):
        self.seen.append(batch_idx)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(1)
    net = Net()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, accelerator="cpu", {limits})
    train, val = DataLoader(rows(12, FLOWS), batch_size=2), DataLoader(rows(6, FLOWS).map(len), batch_size=2)
    trainer.fit(net, {given})
    trainer.test(net, {last})
    predicted = trainer.predict(net, {last})
    torch.save([net.state_dict(), net.seen, predicted], "result.pt")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "unread_streams.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    return tmp_path


@pytest.mark.parametrize("flows", ["", "1"])
@pytest.mark.parametrize("limits", ["", "limit_train_batches=4, limit_val_batches=2, limit_test_batches=1"])
@pytest.mark.parametrize("given", ["train, val", "datamodule=Data()"])
def test_a_run_knows_whether_it_has_a_length(
    given: str, limits: str, flows: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = given if "=" in given else "val"
    (folder / "model.py").write_text(MODEL.format(given=given, last=last, limits=limits))
    result = CliRunner().invoke(main, ["build", str(folder / "model.py")], catch_exceptions=False)
    assert not result.exit_code, result.output
    monkeypatch.setenv("FLOWS", flows)
    found = []
    for program in ("model.py", "train_ddp.py"):
        (folder / program.removesuffix(".py")).mkdir()
        monkeypatch.chdir(folder / program.removesuffix(".py"))
        monkeypatch.setattr(sys, "argv", [program])
        runpy.run_path(str(folder / program), run_name="__main__")
        found.append(torch.load("result.pt", weights_only=False))
    lightnings, own = found
    assert own[1] == lightnings[1]
    torch.testing.assert_close(own[0], dict(lightnings[0]), rtol=0, atol=0)
    torch.testing.assert_close(own[2], lightnings[2], rtol=0, atol=0)
