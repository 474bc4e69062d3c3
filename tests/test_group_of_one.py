"""A process without others has a process group where its code asks for one, as under Lightning's DDPStrategy (20.1)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from worlds import ran

pytestmark = pytest.mark.processes

MODEL = """
import lightning as L
import torch
import torch.distributed as dist
from lightning.pytorch.strategies import DDPStrategy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Data(L.LightningDataModule):
    def setup(self, stage):
        rows = torch.arange(8.0).reshape(8, 1)
        self.rows = TensorDataset(rows, rows)
        self.sampler = DistributedSampler(self.rows) if dist.is_initialized() else None

    def train_dataloader(self):
        return DataLoader(self.rows, 2, shuffle=self.sampler is None, sampler=self.sampler)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        print("rows", batch[0].flatten().tolist())
        return (self.layer(batch[0]) - batch[1]).square().mean()

    def on_train_epoch_end(self):
        print("rows of", dist.get_world_size(), "on", dist.get_rank())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


if __name__ == "__main__":
    L.seed_everything(3)
    {main}
"""

TRAINER = 'L.Trainer(max_epochs=2, strategy={strategy}, devices=1, accelerator="cpu", logger=False)'
MAINS = {
    "the script's main": f"{TRAINER}.fit(Net(), datamodule=Data())",
    "the code's own": f"trainer = {TRAINER}\n    trainer.fit(Net(), datamodule=Data())\n    print(trainer.global_step)",
}
LEFT = MAINS["the code's own"] + "\n    dist.destroy_process_group()"


def built(folder: Path, own_main: str, strategy: str) -> Path:
    text = MODEL.replace("{main}", own_main.replace("{strategy}", strategy))
    (folder / "model.py").write_text(text)
    command = ["build", str(folder / "model.py"), "--strategy", "ddp", "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert not result.exit_code, result.output
    return folder / "train.py"


@pytest.mark.parametrize("strategy", ['"ddp"', "DDPStrategy()"])
@pytest.mark.parametrize("kind", MAINS)
def test_it_is_there_as_under_lightning(kind: str, strategy: str, tmp_path: Path) -> None:
    script = built(tmp_path, MAINS[kind], strategy)
    rows = []
    for program in (tmp_path / "model.py", script):
        code, said = ran(program, folder=tmp_path)
        assert not code, said
        rows.append([line for line in said.splitlines() if line.startswith("rows")])
    assert len(rows[0]) == 10
    assert rows[0] == rows[1]


def test_a_strategy_that_may_be_another_makes_none(tmp_path: Path) -> None:
    """With `auto` a process by itself has no group under Lightning, and the code sees to that."""
    assert "join_alone" not in built(tmp_path, MAINS["the code's own"], '"auto"').read_text()


def test_code_may_leave_it_by_itself(tmp_path: Path) -> None:
    script = built(tmp_path, LEFT, '"ddp"')
    assert "atexit.register(leave_process_group)" in script.read_text().partition("def start")[2][:800]
    # a process of its own: only the end of one calls what is to be called then
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert "Error" not in done.stderr


def test_otherwise_the_script_leaves_it(tmp_path: Path) -> None:
    script = built(tmp_path, MAINS["the code's own"], '"ddp"')
    assert "atexit.register(dist.destroy_process_group)" in script.read_text().partition("def start")[2][:800]
