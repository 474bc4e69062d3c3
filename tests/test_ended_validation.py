"""A callback that ends the run when validation is over: its values have been logged by then, as under Lightning."""

from __future__ import annotations

import csv
import runpy
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import lightning as L
import optuna
import torch
from lightning.pytorch.callbacks import LambdaCallback
from lightning.pytorch.loggers import CSVLogger

{imports}

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def training_step(self, batch, batch_idx):
        return (self.weight * batch).sum()

    def validation_step(self, batch, batch_idx):
        self.log("loss", (self.weight * batch).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def end(trainer, pl_module):
    if trainer.current_epoch == 1:
        raise optuna.TrialPruned

class Trial:
    def report(self, value, step):
        self.step = step

    def should_prune(self):
        return self.step == 1

if __name__ == "__main__":
    data = torch.utils.data.DataLoader(torch.ones(4))
    trainer = L.Trainer(max_epochs=3, logger=CSVLogger("logs"), callbacks=[{callback}], accelerator="cpu")
    try:
        trainer.fit(Net(), data, data)
    except optuna.TrialPruned:
        print("ended")
"""
OF_LAMBDA = ("", "LambdaCallback(on_validation_end=end)")
OF_OPTUNA = (
    "from optuna.integration import PyTorchLightningPruningCallback",
    'PyTorchLightningPruningCallback(Trial(), "loss")',
)


def logged_by(program: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The losses in the file of a logger's, once the program has been run."""
    folder = program.parent / program.stem
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", [str(program)])
    runpy.run_path(str(program), run_name="__main__")
    (file,) = folder.rglob("metrics.csv")
    return [row["loss"] for row in csv.DictReader(file.open())]


@pytest.mark.parametrize(("imports", "callback"), [OF_LAMBDA, OF_OPTUNA], ids=["lambda", "optuna"])
def test_the_last_values_are_logged(
    imports: str,
    callback: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    optuna = ModuleType("optuna")  # all that is asked of it
    optuna.TrialPruned = type("TrialPruned", (Exception,), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "optuna", optuna)
    model, reference = tmp_path / "model.py", tmp_path / "reference.py"
    model.write_text(SOURCE.replace("{imports}", imports).replace("{callback}", callback))
    reference.write_text(SOURCE.replace("{imports}", "").replace("{callback}", OF_LAMBDA[1]))
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "ddp"], catch_exceptions=False)
    assert not result.exit_code, result.output
    found = [logged_by(program, monkeypatch) for program in (reference, tmp_path / "train_ddp.py")]
    assert found[0] == found[1]
    assert len(found[0]) == 2
    assert capsys.readouterr().out.count("ended") == 2
