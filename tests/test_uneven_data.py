"""Which scripts see to it that all ranks have the same number of batches, before they would wait for each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from ddpgen.compile import compile_script
from ddpgen.spec.load import load_spec

MODEL = """
import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset, Sampler, TensorDataset

SAMPLES = TensorDataset(torch.ones(8, 2))


class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.ones(8, 2))


class Sized(Stream):
    def __len__(self):
        return 8


class Own(Sampler):
    def __iter__(self):
        return iter(range(8))

    def __len__(self):
        return 8


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(torch.stack(list(batch))).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return {}
"""
PLAIN, SIZED = "DataLoader(SAMPLES, 2)", "DataLoader(Sized(), 2)"
ITSELF = "use_distributed_sampler: false"


@pytest.mark.parametrize(
    ("loader", "settings", "is_checked"),
    [
        (PLAIN, "", False),
        (PLAIN, ITSELF, True),
        (PLAIN, f"{ITSELF}, max_steps: 3", False),  # may end before the ranks part
        ("DataLoader(SAMPLES, 2, sampler=Own())", "", True),
        (SIZED, "", True),
        (SIZED, "limit_train_batches: 2", True),  # a rank may have fewer
        ("DataLoader(Stream(), 2)", "", False),  # nobody knows
    ],
)
def test_where_ranks_may_have_different_numbers(
    loader: str, settings: str, is_checked: bool, tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(MODEL.replace("{}", loader))
    for strategy in ("ddp", "single"):
        (tmp_path / "spec.yaml").write_text(f"strategy: {strategy}\ntrainer: {{{settings}}}\n")
        script = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "spec.yaml"))).text
        has_check = "\n    require_even_batches(num_batches, ranks)\n" in script
        assert has_check == (is_checked and strategy == "ddp")
