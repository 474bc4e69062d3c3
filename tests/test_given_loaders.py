"""Loaders that a main makes and hands to `fit`: read where the code shows them, taken for anything elsewhere."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import build

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


"""
DATA = "TensorDataset(torch.ones(8, 4))"
SEEN = {
    "in a function": f"""
        def main():
            loader = DataLoader({DATA}, batch_size=2)
            L.Trainer().fit(Net(), loader)
        main()
        """,
    "at the top": f"""
        data = {DATA}
        L.Trainer().fit(Net(), DataLoader(data, batch_size=2, shuffle=True))
        """,
    "made by another function": f"""
        def loader_of(data, size):
            return DataLoader(data, batch_size=size)
        L.Trainer().fit(Net(), loader_of({DATA}, 2))
        """,
}
NOT_SEEN = {
    "workers": f"""
        L.seed_everything(1, workers=True)
        L.Trainer().fit(Net(), DataLoader({DATA}, num_workers=2))
        """,
    "another class": f"""
        class Loader(DataLoader):
            pass
        L.Trainer().fit(Net(), Loader({DATA}))
        """,
    "a sampler": f"L.Trainer().fit(Net(), DataLoader({DATA}, sampler=range(8)))",
    "a dataset of which nothing is known": """
        from elsewhere import load
        L.Trainer().fit(Net(), DataLoader(load("cells")))
        """,
    "a dataset that inherits something unknown": """
        from elsewhere import Stream
        class Own(Stream):
            pass
        L.Trainer().fit(Net(), DataLoader(Own()))
        """,
    "one of two": f"""
        from elsewhere import make
        import sys
        loader = DataLoader({DATA}) if len(sys.argv) > 1 else make()
        L.Trainer().fit(Net(), loader)
        """,
    "a parameter that comes from elsewhere": f"""
        import click
        @click.command()
        @click.argument("loader")
        def main(loader):
            if not loader:
                loader = DataLoader({DATA})
            L.Trainer().fit(Net(), loader)
        main()
        """,
    "changed on the way": f"""
        loader = DataLoader({DATA})
        loader.num_workers = 2
        L.Trainer().fit(Net(), loader)
        """,
    "another one in another call": f"""
        from elsewhere import make
        L.Trainer().fit(Net(), DataLoader({DATA}))
        L.Trainer().fit(Net(), make())
        """,
}


def script(folder: Path, main: str) -> str:
    (folder / "model.py").write_text(MODEL.lstrip() + dedent(main).lstrip())
    return build(folder / "model.py", "ddp")


@pytest.mark.parametrize("main", SEEN.values(), ids=SEEN)
def test_a_plain_loader_in_sight(tmp_path: Path, main: str) -> None:
    text = script(tmp_path, main)
    assert "batch = [tensor.to(device, non_blocking=True) for tensor in batch]" in text
    assert "shard(train_loader" in text
    assert not [name for name in ("shard_any", "seed_workers", "def to_device") if name in text]


@pytest.mark.parametrize("main", NOT_SEEN.values(), ids=NOT_SEEN)
def test_what_is_not_known_to_be_plain(tmp_path: Path, main: str) -> None:
    text = script(tmp_path, main)
    assert "shard_any" in text or "seed_workers" in text


def test_batches_of_another_function_are_gone_through(tmp_path: Path) -> None:
    text = script(tmp_path, f"L.Trainer().fit(Net(), DataLoader({DATA}, collate_fn=list))")
    assert "def to_device" in text
    assert "is_dataclass" in text


ANNOTATED = """
class Own(Dataset):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int){annotation}:
        return torch.ones(4),


def split():
    return [Own(), Own()]


train, val = split()
L.Trainer().fit(Net(), DataLoader(train))
"""
SAMPLES = {
    " -> tuple[torch.Tensor]": True,
    " -> tuple[torch.Tensor, ...]": False,
    " -> tuple[torch.Tensor, str]": False,
    " -> torch.Tensor": False,
    "": False,
}


@pytest.mark.parametrize(("annotation", "are_tensors"), SAMPLES.items())
def test_samples_that_say_what_they_are(tmp_path: Path, annotation: str, are_tensors: bool) -> None:
    text = script(tmp_path, ANNOTATED.replace("{annotation}", annotation))
    assert ("batch = [tensor.to(device, non_blocking=True) for tensor in batch]" in text) == are_tensors
    assert ("def to_device" in text) != are_tensors
