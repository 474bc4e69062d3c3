"""The trial run's loader is made without gradients, unless making it computes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """\
import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.rows = torch.zeros(8, 4)

    def collected(self, rows):
        return torch.stack(rows)

    @property
    def drawn(self):
        return self.layer(self.rows)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def validation_step(self, batch, batch_idx):
        self.log("val", self.layer(batch).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(self.rows)

    def val_dataloader(self):
        {body}
"""
ALONE = [
    "return DataLoader(self.rows)",
    "return DataLoader(self.rows, batch_size=1 + 1, drop_last=2 > 1, collate_fn=self.collected)",
    '"""What it is tried on."""\n        return DataLoader(self.rows, batch_size=2, num_workers=0)',
]
COMPUTING = [
    "return DataLoader(self.drawn)",
    "return DataLoader(self.layer(self.rows))",
    "rows = self.layer(self.rows)\n        return DataLoader(rows)",
    "return [DataLoader(self.rows)]",
    "return dict(a=DataLoader(self.rows))['a']",
]


@pytest.mark.parametrize("body", [*ALONE, *COMPUTING])
def test_where_it_stands(body: str, tmp_path: Path) -> None:
    model = tmp_path / "net.py"
    model.write_text(MODEL.replace("{body}", body))
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "ddp"], catch_exceptions=False)
    assert not result.exit_code, result.output
    before, _, after = (tmp_path / "train_ddp.py").read_text().partition("state = rng_state()")
    assert before
    assert after.partition("\n")[2].lstrip().startswith("with torch.no_grad():") == (body in COMPUTING)
