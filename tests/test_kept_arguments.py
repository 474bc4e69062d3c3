"""Whether a batch sampler keeps what it is made with, so that attributes tell it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ddpgen import build
from ddpgen.lightning.kept_arguments import keeps_arguments

KEPT = {
    "none of its own": "size = 3",
    "handed up by place": "def __init__(self, sampler, batch_size, drop_last):\n"
    "    super().__init__(sampler, batch_size, drop_last)",
    "handed up by name": "def __init__(self, sampler, drop_last, batch_size=3):\n"
    "    super().__init__(sampler, drop_last=drop_last, batch_size=batch_size)",
    "to a base by its name": "def __init__(self, sampler, batch_size):\n"
    "    BatchSampler.__init__(self, sampler, batch_size, False)",
    "set": "def __init__(self, sampler, lengths, size: int = 3):\n"
    "    self.lengths: list[int] = lengths\n    self.sampler, self.size = sampler, size",
    "no sampler": "def __init__(self, rows):\n    super().__init__(rows, 2, False)",
}

LOST = {
    "left out": "def __init__(self, sampler, lengths):\n    super().__init__(sampler, 2, False)",
    "by another name": "def __init__(self, sampler, size):\n    super().__init__(sampler, size, False)",
    "changed": "def __init__(self, sampler, size):\n    self.size = 2 * size",
    "changed before": "def __init__(self, sampler, size):\n    size = size or 3\n    self.size = size",
    "changed later": "def __init__(self, sampler, batch_size):\n"
    "    super().__init__(sampler, batch_size, False)\n    self.batch_size *= 2",
    "in a branch": "def __init__(self, sampler, size):\n    if size:\n        self.size = size",
    "a property": "def __init__(self, sampler, size):\n    self.size = size\n"
    "@property\ndef size(self):\n    return 3",
    "what is left over": "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)",
    "in another place": "def __init__(self, sampler, drop_last, batch_size):\n"
    "    super().__init__(sampler, drop_last, batch_size)",
}


def keeps(body: str) -> bool:
    text = "class C(BatchSampler):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    (cls,) = ast.parse(text).body
    assert isinstance(cls, ast.ClassDef)
    return keeps_arguments(cls)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_is_kept(body: str) -> None:
    assert keeps(body)


@pytest.mark.parametrize("body", LOST.values(), ids=LOST)
def test_what_is_lost(body: str) -> None:
    assert not keeps(body)


MODEL = """\
import lightning as L
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset


class Batches(BatchSampler):
    def __init__(self, sampler, batch_size, drop_last):
        super().__init__(sampler, {size}, drop_last)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        data = TensorDataset(torch.ones(8, 4))
        return DataLoader(data, batch_sampler=Batches(RandomSampler(data), 2, False))
"""


@pytest.mark.parametrize(
    ("strategy", "size", "keeps"),
    [("ddp", "2 * batch_size", True), ("ddp", "batch_size", False), ("single", "2 * batch_size", False)],
)
def test_a_script_keeps_arguments_that_ranks_need(
    tmp_path: Path, strategy: str, size: str, keeps: bool
) -> None:
    (tmp_path / "model.py").write_text(MODEL.format(size=size))
    text = build(tmp_path / "model.py", strategy)
    assert ("@keeping_arguments\nclass Batches" in text) == keeps
    assert ("made_with" in text) == keeps
