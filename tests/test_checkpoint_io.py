"""Trainers that are given a CheckpointIO of the user's: what of the spec goes with it, and which checkpoints are."""

from __future__ import annotations

from pathlib import Path

import pytest
from ddpgen import CompileError, build

MODEL = """
import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint, OnExceptionCheckpoint
from lightning.pytorch.plugins import CheckpointIO
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Files(CheckpointIO):
    def save_checkpoint(self, checkpoint, path, storage_options=None):
        torch.save(checkpoint, path)

    def load_checkpoint(self, path, storage_options=None):
        return torch.load(path)

    def remove_checkpoint(self, path):
        super().remove_checkpoint(path)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def test_step(self, batch, batch_idx):
        self.log("loss", self.layer(batch[0]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 6)))

    test_dataloader = train_dataloader


"""

MAIN = """
def main(path=None):
    model, files = Net(), Files()
    trainer = L.Trainer(max_epochs=1, {arguments})
    trainer.fit(model, ckpt_path=path)
    trainer.test(model, ckpt_path=path)


main()
"""

GIVEN = "plugins=[files]"
KEPT = "callbacks=[ModelCheckpoint(), OnExceptionCheckpoint('kept')], plugins=files"

WITH_HYDRA = """
import hydra


@hydra.main(version_base=None, config_path=".", config_name="conf")
def main(settings):
    hydra.utils.instantiate(settings.trainer).fit(Net())


main()
"""

CONF = "trainer: {_target_: lightning.Trainer, max_epochs: 1, plugins: [{_target_: model.Files}]}\n"


def script_of(folder: Path, arguments: str, spec: str = "", main: str = MAIN) -> str:
    path = folder / "model.py"
    path.write_text(MODEL + main.replace("{arguments}", arguments))
    (folder / "conf.yaml").write_text(CONF)
    (folder / "spec.yaml").write_text(spec if spec.startswith("strategy") else f"strategy: ddp\n{spec}\n")
    return build(path, folder / "spec.yaml")


REFUSED = [
    ("checkpoint: {every_n_steps: 5}", "does not go with `checkpoint` of the spec"),
    ("checkpoint: {dir: 's3://bucket/runs'}", "does not go with URLs"),
    ("checkpoint: {async: true}", "does not go with `checkpoint.async` of the spec"),
    ("preemption: {}", "does not go with `preemption` of the spec"),
    ("strategy: fsdp", "does not go with the strategy of the spec"),
]


@pytest.mark.parametrize(("spec", "why"), REFUSED)
def test_what_the_script_writes_in_its_own_way_does_not_go_with_it(
    tmp_path: Path, spec: str, why: str
) -> None:
    with pytest.raises(CompileError) as caught:
        script_of(tmp_path, GIVEN, spec)
    assert [why in each.message for each in caught.value.diagnostics if each.severity == "error"] == [True]


def test_a_configuration_gives_none(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="does not go with a configuration"):
        script_of(tmp_path, "", main=WITH_HYDRA)


def test_the_spec_s_plugins_take_its_place(tmp_path: Path) -> None:
    assert "checkpoint_io" not in script_of(tmp_path, GIVEN, "trainer: {plugins: [AsyncCheckpointIO]}")


def test_a_spec_s_precision_does_not(tmp_path: Path) -> None:
    assert "checkpoint_io=" in script_of(tmp_path, GIVEN, "trainer: {precision: bf16-mixed}")


def test_a_trainer_that_is_given_one_has_a_checkpoint_to_give_it(tmp_path: Path) -> None:
    assert "callbacks=[ModelCheckpoint()]" in script_of(tmp_path, GIVEN)


def test_a_run_goes_on_where_none_is_saved(tmp_path: Path) -> None:
    script = script_of(tmp_path, f"enable_checkpointing=False, {GIVEN}")
    assert "trainer.checkpoint_io.load_checkpoint(ckpt_path) if ckpt_path else None" in script
    assert "last.ckpt" not in script


def test_whatever_writes_reads_and_removes_asks_it(tmp_path: Path) -> None:
    script = script_of(tmp_path, KEPT)
    assert "io.save_checkpoint(checkpoint, filepath, " in script
    assert script.count("trainer.checkpoint_io.load_checkpoint(path)") == 2, "to go on, and to test"
    assert script.count("trainer.checkpoint_io.remove_checkpoint(") == 2
