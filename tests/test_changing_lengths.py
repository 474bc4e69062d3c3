"""Training data whose number of batches may change from epoch to epoch: the script looks, and stops where it does."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MAIN = """
import lightning as L
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler, SequentialSampler


class Rows(Dataset):
    def __init__(self):
        self.count = 16
        self.prepare()

    def prepare(self):
        self.rows = torch.ones(self.count, 2)

    def drop(self):
        {drop}

    def __len__(self):
        return self.size()

    def size(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def on_train_epoch_start(self):
        {start}

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


if __name__ == "__main__":
    rows = Rows()
    trainer = L.Trainer(max_epochs=3, accelerator="cpu", logger=False)
    trainer.fit(Net(), DataLoader(rows, 4))
"""

CHANGING = {
    "by a method": ("self.rows = self.rows[4:]", "self.trainer.train_dataloader.dataset.drop()"),
    "by an attribute": ("pass", "self.trainer.train_dataloader.dataset.rows = torch.ones(12, 2)"),
    "by its batches": ("pass", "self.trainer.train_dataloader.batch_sampler.batch_size = 8"),
}
KEPT = {
    "as it is made": ("pass", "pass"),
    "as another attribute changes": ("self.count = 3", "self.trainer.train_dataloader.dataset.drop()"),
}


def script(folder: Path, drop: str, start: str) -> str:
    (folder / "main.py").write_text(MAIN.format(drop=drop, start=start))
    command = ["build", str(folder / "main.py"), "--strategy", "single", "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert not result.exit_code, result.output
    return (folder / "train.py").read_text()


@pytest.mark.parametrize(("drop", "start"), CHANGING.values(), ids=CHANGING)
def test_a_script_stops_where_the_number_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drop: str, start: str
) -> None:
    script(tmp_path, drop, start)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train.py"])
    with pytest.raises(SystemExit, match="and was to have 4: reload_dataloaders_every_n_epochs=1 has them"):
        runpy.run_path("train.py", run_name="__main__")


@pytest.mark.parametrize(("drop", "start"), KEPT.values(), ids=KEPT)
def test_a_number_that_stays_is_asked_once(tmp_path: Path, drop: str, start: str) -> None:
    assert "counted anew" not in script(tmp_path, drop, start)
