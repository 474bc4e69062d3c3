"""Lightning's Tuner: left out with a warning; where a branch asks for it, the run ends there."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import sys

import lightning as L
import torch
from lightning.pytorch.loggers.logger import DummyLogger
from lightning.pytorch.tuner import Tuner


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.lr = 0.1

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))


def tune(model, trainer):
    tuner = Tuner(trainer)
    return tuner.lr_find(model).suggestion()


def main():
    model = Net()
    trainer = L.Trainer(max_epochs=1, logger=DummyLogger(), enable_progress_bar=False)
    {tuning}
    trainer.fit(model)


if __name__ == "__main__":
    main()
"""


def build(folder: Path, tuning: str) -> tuple[str, Path]:
    """What is said, and the script."""
    (folder / "model.py").write_text(MODEL.replace("{tuning}", tuning))
    (folder / "one.yaml").write_text("strategy: single\ncheckpoint: false\n")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "one.yaml")]
    return CliRunner().invoke(main, command, catch_exceptions=False).output, folder / "train_one.py"


def run(script: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(script.parent)
    monkeypatch.setattr("sys.argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")


def test_a_tuner_that_is_always_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, script = build(
        tmp_path, "tuner = Tuner(trainer); tuner.scale_batch_size(model); tuner.lr_find(model)"
    )
    assert said.count("warning[tuner-left-out]") == 2
    assert "trains with the batch size that your code sets" in said.replace("\n", " ")
    run(script, monkeypatch)


@pytest.mark.parametrize(
    "tuning",
    [
        "if len(sys.argv) > 1: model.lr = tune(model, trainer)",
        "if len(sys.argv) > 1: model.lr = Tuner(trainer).lr_find(model).suggestion()",
        "tuner = Tuner(trainer)\n    if len(sys.argv) > 1: tuner.lr_find(model)",
    ],
)
def test_a_tuner_in_a_branch(tuning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, script = build(tmp_path, tuning)
    assert said.count("warning[tuner-stops]") == 1
    assert "tuner-left-out" not in said
    run(script, monkeypatch)
    with pytest.raises(RuntimeError, match="this script has no Tuner"):
        run(script, monkeypatch, "--find")


def test_what_it_finds_is_used_in_any_case(tmp_path: Path) -> None:
    said, script = build(tmp_path, "model.lr = tune(model, trainer)")
    assert "model.py:28:12: error[tuned-value-used]" in said
    assert not script.exists()
