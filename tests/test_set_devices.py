"""Models whose constructors set what Lightning keeps as their device: where that goes on meaning the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, device="cpu"):
        super().__init__()
        self._device = device
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0].to(self._device)).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    net = Net()
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(net, DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
"""

LATE = "    def on_fit_start(self):\n        self._device = torch.device('cpu')\n\n"
OWN = "    @property\n    def device(self):\n        return torch.device('cpu')\n\n"
STEP = "    def training_step"
FIRST = "        super().__init__()\n        self._device = device\n"
SWAPPED = "        self._device = device\n        super().__init__()\n"
IN_BRANCH = "        super().__init__()\n        if device:\n            self._device = device\n"
AGAIN = (
    "        super().__init__()\n        self._device = device\n        L.LightningModule.__init__(self)\n"
)


@pytest.mark.parametrize(
    ("old", "new", "is_refused"),
    [
        ("", "", False),
        (STEP, LATE + STEP, True),
        (STEP, OWN + STEP, True),
        (FIRST, SWAPPED, True),
        (FIRST, IN_BRANCH, True),
        (FIRST, AGAIN, True),
        ("net = Net()", "net = Net().to('cpu')", True),
        ("net = Net()", "net = Net.load_from_checkpoint('net.ckpt')", True),
    ],
)
def test_a_constructor_that_sets_the_device(old: str, new: str, is_refused: bool, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MODEL.replace(old, new) if old else MODEL)
    script = tmp_path / "train.py"
    built = CliRunner().invoke(main, ["build", str(tmp_path / "main.py"), "-o", str(script)])
    assert ("error[inner-member-set]" in built.output) == is_refused, built.output
    assert is_refused or "self.device = device" in script.read_text()
