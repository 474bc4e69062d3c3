"""Validation's loader is made once training's has its iterator, of which both may draw random numbers (2.6, 3.4)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

class Stream(IterableDataset):
    def __iter__(self):
        yield from ([torch.randn(1)] for _ in range(4))

class Data(L.LightningDataModule):
    def train_dataloader(self):
        return {train}

    def val_dataloader(self):
        return DataLoader({drawn})

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def training_step(self, batch, batch_idx):
        self.log("batch", batch[0].sum())
        return (self.weight * batch[0]).sum()

    def validation_step(self, batch, batch_idx):
        self.log("loss", (self.weight * batch[0]).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

if __name__ == "__main__":
    L.seed_everything(0)
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, accelerator="cpu", {settings})
    trainer.fit(Net(), datamodule=Data())
    print("logged", sorted((name, value.item()) for name, value in trainer.callback_metrics.items()))
"""
SHUFFLED = "DataLoader(TensorDataset(torch.arange(8.0)), batch_size=2, shuffle=True)"
STREAM = "DataLoader(Stream(), batch_size=2)"
DRAWN = "TensorDataset(torch.randn(4))"


@pytest.mark.parametrize(
    ("train", "settings"),
    [
        (SHUFFLED, "num_sanity_val_steps=0"),
        (SHUFFLED, "num_sanity_val_steps=int(len('')), check_val_every_n_epoch=2"),
        (SHUFFLED, "fast_dev_run=True"),
        (SHUFFLED, "num_sanity_val_steps=0, reload_dataloaders_every_n_epochs=1, val_check_interval=0.5"),
        (SHUFFLED, "num_sanity_val_steps=1"),
        (STREAM, "num_sanity_val_steps=0"),
    ],
)
def test_what_it_draws(
    train: str,
    settings: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = tmp_path / "model.py"
    source = SOURCE.replace("{train}", train).replace("{settings}", settings)
    model.write_text(source.replace("{drawn}", DRAWN))
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "single"], catch_exceptions=False)
    assert not result.exit_code, result.output
    monkeypatch.chdir(tmp_path)
    logged = []
    for program in ("model.py", "train_single.py"):
        monkeypatch.setattr("sys.argv", [program])
        runpy.run_path(program, run_name="__main__")
        logged += [line for line in capsys.readouterr().out.splitlines() if line.startswith("logged")]
    assert logged[0] == logged[1]


def test_a_plain_loader_changes_nothing(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    source = SOURCE.replace("{train}", SHUFFLED).replace("{settings}", "num_sanity_val_steps=0")
    early = "iter(train_loader)"
    for drawn, is_early in ((DRAWN, True), ("self.rows", False)):
        model.write_text(source.replace("{drawn}", drawn))
        CliRunner().invoke(main, ["build", str(model), "--strategy", "single"], catch_exceptions=False)
        assert (early in (tmp_path / "train_single.py").read_text()) is is_early
