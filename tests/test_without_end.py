"""-1 on a script's command line sets no limit, as it does in Lightning's Trainer (13.1)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def training_step(self, batch, batch_idx):
        return (self.weight * batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(2, 1)))
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without_end")
    (folder / "model.py").write_text(MODEL)
    (folder / "ddp.yaml").write_text("strategy: ddp\ntrainer: {max_epochs: 1, max_steps: 1}\n")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "ddp.yaml")]
    assert not CliRunner().invoke(main, command, catch_exceptions=False).exit_code
    return folder / "train_ddp.py"


@pytest.mark.parametrize(("epochs", "steps", "taken"), [(-1, 5, 5), (2, -1, 4), (0, -1, 0)])
def test_training_ends_by_the_other_limit(
    epochs: int, steps: int, taken: int, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--max-epochs", str(epochs), "--max-steps", str(steps), "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [str(script), *options])
    runpy.run_path(str(script), run_name="__main__")
    last = tmp_path / "last.ckpt"
    assert taken == (torch.load(last)["global_step"] if last.exists() else 0)
