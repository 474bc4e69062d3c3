"""Which scripts see to it that all ranks have the same number of batches, before they would wait for each other."""

from __future__ import annotations

import re
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


OF_SHARE = "limited(len(train_loader), config.limit_train_batches)"


MOST = "max(gather_from_ranks({}, ranks))"


@pytest.mark.parametrize(
    ("loader", "settings", "counts"),
    [
        (PLAIN, ITSELF, {}),
        (PLAIN, f"{ITSELF}, accumulate_grad_batches: 2", {"num_batches": MOST.format("len(train_loader)")}),
        (PLAIN, "accumulate_grad_batches: 2", {"num_batches": "len(train_loader)"}),
        (SIZED, "limit_train_batches: 0.5", {"own_batches": OF_SHARE}),
        (
            SIZED,
            "limit_train_batches: 0.5, accumulate_grad_batches: 2",
            {"own_batches": OF_SHARE, "num_batches": MOST.format("own_batches")},
        ),
    ],
)
def test_where_ranks_join_each_reads_its_own(
    loader: str, settings: str, counts: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(MODEL.replace("{}", loader))
    (tmp_path / "spec.yaml").write_text(f"ddp: {{join: true}}\ntrainer: {{{settings}}}\n")
    script = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "spec.yaml"))).text
    assert re.findall(r"^    (\w+_batches) = ", script, re.MULTILINE) == list(counts)
    assert all(f"\n{name}={code.replace(' ', '')}" in _compact(script) for name, code in counts.items())
    is_cut = "own_batches" in counts
    assert (
        is_cut == ("total=own_batches" in script) == ("islice(train_loader,own_batches)" in _compact(script))
    )


def _compact(code: str) -> str:
    """Statements as if each had a line of its own."""
    return re.sub(r"(?<=[(,])\s+|[ ]+|\s+(?=\))", "", code)
