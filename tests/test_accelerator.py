"""`accelerator`, and `device` in the spec: what a script computes on (20.3)."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import sys

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


"""


def build(folder: Path, entry: str = "", spec: str = "") -> tuple[str, Path]:
    (folder / "model.py").write_text(MODEL + entry)
    (folder / "ddp.yaml").write_text(f"strategy: ddp\ncheckpoint: false\n{spec}")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "ddp.yaml")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    return result.output, folder / "train_ddp.py"


def on_gpus(patch: pytest.MonkeyPatch) -> None:
    """Have torch say that the machine has one."""
    patch.setattr(torch.accelerator, "current_accelerator", lambda check_available: torch.device("cuda"))
    patch.setattr(torch.accelerator, "device_count", lambda: 1)
    patch.setattr(torch.accelerator, "set_device_index", lambda index: None)


def found_by(script: Path, *arguments: str) -> Any:
    """The device that a script finds on a machine that says it has GPUs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [str(script), *arguments])
        on_gpus(patch)
        functions = runpy.run_path(str(script), run_name="script")
        return functions["local_device"](functions["ranks_from_env"]()).type


ENTRY = 'L.Trainer(max_epochs=1, accelerator="{}").fit(Net())\n'


@pytest.mark.parametrize(
    ("name", "kind"), [("cpu", "cpu"), ("auto", "cuda"), ("gpu", "cuda"), ("cuda", "cuda")]
)
def test_what_the_code_says(name: str, kind: str, tmp_path: Path) -> None:
    said, script = build(tmp_path, ENTRY.format(name))
    assert "accelerator" not in said
    assert found_by(script) == kind


@pytest.mark.parametrize("key", ["device: cpu", "trainer: {accelerator: cpu}"])
def test_the_spec_wins(key: str, tmp_path: Path) -> None:
    _, script = build(tmp_path, ENTRY.format("gpu"), f"{key}\n")
    assert found_by(script) == "cpu"
    assert "torch.accelerator.device_count" not in script.read_text()


def test_a_device_of_another_kind(tmp_path: Path) -> None:
    _, script = build(tmp_path, spec="device: xpu\n")
    with pytest.raises(SystemExit, match="this machine has no xpu device"):
        found_by(script)


def test_another_accelerator_is_refused(tmp_path: Path) -> None:
    said, script = build(tmp_path, ENTRY.format("tpu"))
    assert "`accelerator` must be `auto`, `cpu`, `cuda`, `gpu` or `mps`" in said
    assert not script.exists()


OPEN = """
def run():
    trainer = L.Trainer(max_epochs=1, accelerator=sys.argv[1], enable_progress_bar=False)
    trainer.fit(Net())
    return trainer


if __name__ == "__main__":
    run()
"""


def test_what_is_known_when_the_script_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = build(tmp_path, OPEN)
    assert "start(config.accelerator)" in script.read_text()
    monkeypatch.chdir(tmp_path)
    for name in ("cpu", "auto"):
        monkeypatch.setattr("sys.argv", [str(script), name])
        runpy.run_path(str(script), run_name="__main__")
    monkeypatch.setattr("sys.argv", [str(script), "mps"])
    with pytest.raises(SystemExit, match="this machine has no mps device"):
        runpy.run_path(str(script), run_name="__main__")


ASKING = """
def run():
    trainer = L.Trainer(max_epochs=1, accelerator=sys.argv[1])
    print(trainer.strategy.root_device, trainer.accelerator.name())
    trainer.fit(Net())


if __name__ == "__main__":
    run()
"""


@pytest.mark.parametrize(("name", "kind"), [("cpu", "cpu"), ("auto", "cuda")])
def test_what_a_trainer_says_of_its_device(name: str, kind: str, tmp_path: Path) -> None:
    """The accelerator that the run was told decides, not what the machine has."""
    _, script = build(tmp_path, ASKING)
    with pytest.MonkeyPatch.context() as patch:
        on_gpus(patch)
        made = runpy.run_path(str(script), run_name="script")
        trainer = made["Trainer"](made["Config"](accelerator=name))
        assert (trainer.root_device.type, trainer.accelerator.name()) == (kind, kind)
