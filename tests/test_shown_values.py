"""What a script prints when an epoch is over."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import lightning as L
import torch

class Counter(L.LightningModule):
    def __init__(self, says=True):
        super().__init__()
        self.says = says
        self.weight = torch.nn.Parameter(torch.zeros(()))

    def training_step(self, batch, batch_idx):
        if self.says:
            self.log("index", float(batch_idx), on_step=False, on_epoch=True)
        return self.weight * 0

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4), batch_size=2)
"""
SPEC = "strategy: ddp\ntrainer: {max_epochs: 2, enable_progress_bar: %s}\nlogger: []\n"


@pytest.fixture(scope="module", params=["true", "false"], ids=["above the bar", "without a bar"])
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shown")
    model, spec = folder / "model.py", folder / "ddp.yaml"
    model.write_text(SOURCE)
    spec.write_text(SPEC % request.param)
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", str(spec)], catch_exceptions=False)
    assert not result.exit_code, result.output
    return folder / "train_ddp.py"


def printed(
    script: Path, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    monkeypatch.chdir(script.parent)
    monkeypatch.setattr("sys.argv", [str(script), *options])
    capsys.readouterr()
    runpy.run_path(str(script), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_an_epochs_values(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(script, [], monkeypatch, capsys) == ["epoch 0: index 0.5000", "epoch 1: index 0.5000"]


def test_nothing_where_nothing_was_logged(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(script, ["--no-says"], monkeypatch, capsys) == []


def test_nothing_on_other_ranks(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RANK", "1")
    assert printed(script, ["--out", str(tmp_path)], monkeypatch, capsys) == []
