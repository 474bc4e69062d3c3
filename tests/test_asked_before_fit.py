"""What a main asks of a Trainer that has not run yet: its settings are there, as under Lightning."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2)))


def told(trainer):
    return [
        trainer.max_epochs, trainer.max_steps, trainer.accumulate_grad_batches, trainer.precision,
        trainer.gradient_clip_val, trainer.log_every_n_steps, trainer.check_val_every_n_epoch,
        trainer.world_size, trainer.current_epoch, trainer.global_step,
    ]


QUIET = dict(enable_progress_bar=False, enable_model_summary=False, logger=False, enable_checkpointing=False)
trainer = L.Trainer(accelerator="cpu", **QUIET, {arguments})
before = told(trainer)
trainer.fit(Net())
after = told(trainer)
"""
GIVEN = {
    "by default": "max_epochs=1",
    "values": "max_epochs=2, precision='bf16-true', gradient_clip_val=0.3, log_every_n_steps=7",
    "expressions": "max_epochs=int('3'), accumulate_grad_batches=len(QUIET)",
    "by steps": "max_steps=5, check_val_every_n_epoch=2",
    "by steps that are known later": "max_steps=len(QUIET), max_epochs=None if QUIET else 3",
    "a trial": "max_epochs=9, fast_dev_run=len(QUIET)",
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_trainer_tells_what_lightnings_does(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(MODEL.replace("{arguments}", GIVEN[name]), tmp_path, monkeypatch)


def test_a_trainer_tells_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = MODEL.replace("trainer.world_size", "trainer.default_root_dir")
    check(told.replace("{arguments}", "max_epochs=1, default_root_dir='some/where'"), tmp_path, monkeypatch)


def check(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told before and behind the training is the same under Lightning and in the script."""
    (folder / "model.py").write_text(model)
    result = CliRunner().invoke(main, ["build", str(folder / "model.py"), "--strategy", "single"])
    assert not result.exit_code, result.output
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["train.py"])
    theirs, ours = (runpy.run_path(each, run_name="__main__") for each in ("model.py", "train_single.py"))
    assert ours["before"] == theirs["before"]
    assert ours["after"] == theirs["after"]
