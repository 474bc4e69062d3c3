"""hparams.yaml has the same bytes as Lightning's, whatever the script knows of the hyperparameters."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import lightning as L
import torch
from lightning.pytorch.loggers import TensorBoardLogger
from torch.utils.data import DataLoader

class Net(L.LightningModule):
    def __init__(self, {parameters}):
        super().__init__()
        self.save_hyperparameters()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def training_step(self, batch, batch_idx):
        return (self.weight * batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=TensorBoardLogger("logs"), enable_checkpointing=False)
    trainer.fit(Net(), DataLoader(torch.ones(2)))
"""
SCALARS = "rate=0.05, n=2, eta=1e-8, kind='1e3', flag=True, note='é: on', answer='on'"


@pytest.mark.parametrize("has_omegaconf", [True, False])
@pytest.mark.parametrize("parameters", [SCALARS, f"{SCALARS}, sizes=(3, 1), names=None"])
def test_its_bytes(
    parameters: str, has_omegaconf: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model.py"
    model.write_text(SOURCE.replace("{parameters}", parameters))
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "single"], catch_exceptions=False)
    assert not result.exit_code, result.output
    if not has_omegaconf:
        find = importlib.util.find_spec
        monkeypatch.setattr("lightning.pytorch.core.saving._OMEGACONF_AVAILABLE", False)
        monkeypatch.setattr(
            "importlib.util.find_spec", lambda name: None if name == "omegaconf" else find(name)
        )
    written = []
    for program in (model, tmp_path / "train_single.py"):
        (folder := tmp_path / program.stem).mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", [str(program)])
        runpy.run_path(str(program), run_name="__main__")
        written += [path.read_bytes() for path in folder.rglob("hparams.yaml")]
    lightning, script = written
    assert lightning == script
