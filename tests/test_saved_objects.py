"""What the user's code adds to a checkpoint may keep it from being read: that is said as it is saved."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(2, 1)))

class Counting(L.Callback):
    def on_train_end(self, trainer, pl_module):
        pass
"""

HOOK = "\n    def on_save_checkpoint(self, checkpoint):\n        checkpoint['best'] = {value}\n"
STATE = "\n    def state_dict(self):\n        return {{'best': {value}}}\n"

ADDS = {
    "model": MODEL.replace("\nclass Data", f"{HOOK}\nclass Data"),
    "data": MODEL.replace("\nclass Counting", f"{STATE}\nclass Counting"),
    "callback": MODEL + STATE,
    "nothing": MODEL,
}


@pytest.mark.parametrize(
    ("name", "value", "checkpoint"),
    [
        ("model", "np.float64(1)", "{}"),
        ("model", "np.float64(1)", "{dir: 'memory://saved'}"),
        ("model", "float(np.float64(1))", "{}"),
        ("model", "np.float64(1)", "{state: sharded}"),
        ("data", "np.float64(1)", "{}"),
        ("callback", "np.float64(1)", "{}"),
    ],
)
def test_what_cannot_be_read_is_told(
    name: str,
    value: str,
    checkpoint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = built(ADDS[name].format(value=value), checkpoint, tmp_path)
    out = "memory://saved" if "memory" in checkpoint else f"{tmp_path / 'out'}"
    options = ["--max-epochs", "1", "--out", out]
    monkeypatch.setattr("sys.argv", [str(script), *options])
    runpy.run_path(str(script), run_name="__main__")
    said = capsys.readouterr().out
    if is_told := value.startswith("np"):
        first, kinds = said.rstrip().split(", as it holds ")
        assert first == f"no run goes on from {out}/last.ckpt"
        assert sorted(kinds.split(", ")) == ["numpy._core.multiarray.scalar", "numpy.dtype"]
    else:
        assert said == ""
    monkeypatch.setattr("sys.argv", [str(script), *options, "--resume"])
    if is_told:
        with pytest.raises(SystemExit, match="is damaged, or not this script's: Weights only load failed"):
            runpy.run_path(str(script), run_name="__main__")
    else:
        runpy.run_path(str(script), run_name="__main__")


def test_nobody_looks_where_nothing_is_added(tmp_path: Path) -> None:
    assert "unsafe_globals" not in built(ADDS["nothing"], "{}", tmp_path).read_text()


def built(code: str, checkpoint: str, folder: Path) -> Path:
    (folder / "model.py").write_text(code)
    spec = f"strategy: {'fsdp' if 'sharded' in checkpoint else 'ddp'}\ncheckpoint: {checkpoint}\n"
    callbacks = "trainer: {callbacks: [{class_path: Counting}]}\n"
    (folder / "spec.yaml").write_text(f"{spec}{callbacks}model: Net\ndata: Data\n")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "spec.yaml")]
    result = CliRunner().invoke(main, [*command, "-o", str(folder / "train.py")], catch_exceptions=False)
    assert not result.exit_code, result.output
    return folder / "train.py"
