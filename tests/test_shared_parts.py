"""What is reached in many ways is looked at once: the work does not double with each layer of shared parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEPTH = 24
SECONDS = 60

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ABOVE


class Net(L.LightningModule):
    def __init__(self, settings=None):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader():
    return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


MAIN
"""
FIT = "L.Trainer(max_epochs=1).fit(Net(), loader())"


def layers(first: str, layer: str) -> str:
    """Code of many layers, each of which has two parts that both use both of the layer before."""
    made = (layer.replace("NEW", str(each)).replace("OLD", str(each - 1)) for each in range(1, DEPTH))
    return "\n".join([first, *made])


FUNCTIONS = layers(
    "def left0():\n    return 1\n\n\ndef right0():\n    return 2",
    "\n\ndef leftNEW():\n    return leftOLD() + rightOLD()\n\n\ndef rightNEW():\n    return leftOLD() - rightOLD()",
)
MAPPINGS = layers(
    "left0 = {'rate': 1}\nright0 = {'rate': 2}",
    "leftNEW = {'one': leftOLD, 'other': rightOLD}\nrightNEW = {'one': leftOLD, 'other': rightOLD}",
)
LISTS = layers(
    "left0 = [loader()]\nright0 = [loader()]",
    "leftNEW = [leftOLD, rightOLD]\nrightNEW = [rightOLD, leftOLD]",
)
TRAINING = layers(
    f"def left0():\n    {FIT}\n\n\ndef right0():\n    left0()",
    "\n\ndef leftNEW():\n    leftOLD()\n    rightOLD()\n\n\ndef rightNEW():\n    rightOLD()\n    leftOLD()",
)
LAST = f"left{DEPTH - 1}"
MAINS = {
    "mappings that are saved": (MAPPINGS, f"L.Trainer(max_epochs=1).fit(Net({LAST}), loader())"),
    "functions that a module calls": (f"{FUNCTIONS}\n\n\nSUM = {LAST}()", f"print(SUM)\n{FIT}"),
    "lists of loaders": ("", f"{LISTS}\nL.Trainer(max_epochs=1).fit(Net(), {LAST})"),
    "functions that train": ("", f"{TRAINING}\n\n\n{LAST}()"),
}


@pytest.mark.parametrize(("above", "main"), MAINS.values(), ids=MAINS)
def test_shared_parts_are_looked_at_once(tmp_path: Path, above: str, main: str) -> None:
    text = MODEL.replace("ABOVE", above).replace("MAIN", main).replace("\n\n\n\n", "\n\n\n")
    (tmp_path / "main.py").write_text(text.lstrip())
    command = [sys.executable, "-m", "ddpgen", "build", "main.py", "--strategy", "ddp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
