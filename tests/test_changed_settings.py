"""A run that goes on with other settings than its checkpoint's says what becomes of them, or why it cannot."""

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
    def __init__(self, width: int = 2, lr: float = 0.1, momentum: float = 0.9, kind: str = "SGD"):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(1, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).sum()

    def configure_optimizers(self):
        return getattr(torch.optim, self.hparams.kind)(self.parameters(), lr=self.hparams.lr)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(2, 1)))
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that has trained for an epoch."""
    folder = tmp_path_factory.mktemp("changed")
    (folder / "model.py").write_text(MODEL)
    command = ["build", str(folder / "model.py"), "--strategy", "ddp"]
    assert not CliRunner().invoke(main, command, catch_exceptions=False).exit_code
    with pytest.MonkeyPatch.context() as patch:
        train(folder / "train_ddp.py", patch, "--max-epochs", "1")
    return folder / "train_ddp.py"


def train(script: Path, patch: pytest.MonkeyPatch, *options: str) -> None:
    patch.setattr("sys.argv", [str(script), "--out", str(script.with_name("out")), *options])
    runpy.run_path(str(script), run_name="__main__")


def test_what_the_checkpoint_decides_is_told(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train(script, monkeypatch, "--lr", "0.5", "--resume", "--max-epochs", "2")
    last = script.with_name("out") / "last.ckpt"
    assert capsys.readouterr().out == f"lr was 0.1, is 0.5: optimizers stay as in {last}\n"
    assert torch.load(last)["optimizer_states"][0]["param_groups"][0]["lr"] == 0.1
    train(script, monkeypatch, "--lr", "0.5", "--resume", "--max-epochs", "3")
    assert not capsys.readouterr().out, "nothing has changed"


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--width", "3", r"size mismatch for layer\.weight: .*Size\(\[3, 1\]\)\.$"),
        ("--kind", "Adam", r"is of another optimizer, without \{.*'betas'.*\}$"),
    ],
)
def test_what_makes_it_impossible_is_one_sentence(
    option: str, value: str, why: str, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=rf"^.*last\.ckpt:? {why}"):
        train(script, monkeypatch, option, value, "--resume", "--max-epochs", "9")


def test_what_the_model_is_told_is_what_an_option_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = "print('interval', self.trainer.val_check_interval)\n        return self.layer(batch[0]).sum()"
    steps = "\n    def validation_step(self, batch, batch_idx):\n        self.log('val', self.layer(batch[0]).sum())\n"
    model = MODEL.replace("return self.layer(batch[0]).sum()", asks, 1) + steps
    (tmp_path / "model.py").write_text(f"{model}\n    val_dataloader = train_dataloader\n")
    (tmp_path / "ddp.yaml").write_text("strategy: ddp\ntrainer: {max_epochs: 1, val_check_interval: 0.5}\n")
    command = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "ddp.yaml")]
    assert not CliRunner().invoke(main, command, catch_exceptions=False).exit_code
    train(tmp_path / "train_ddp.py", monkeypatch, "--val-check-interval", "1.0")
    assert "interval 1.0" in capsys.readouterr().out
