"""Loaders that a main makes and hands to `fit`: read where the code shows them, taken for anything elsewhere."""

from __future__ import annotations

import runpy
from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import CompileError, build

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


KEPT = """
class Kept(Net):
    def __init__(self, loader):
        super().__init__()
        self.{attribute} = loader

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).mean())


def loaders_of(modes=("train", "val")):
    loaders = {{"train": {first}, "val": {first}}}
    for mode in modes:
        loaders[mode] = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
    return loaders


if __name__ == "__main__":
    loaders = loaders_of()
    model = Kept(loaders["train"])
    trainer = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False)
    trainer.fit(model, loaders["train"], loaders["val"])
    print(model.{attribute}.batch_size)
"""


def kept(first: str = "None", attribute: str = "train_dataloader") -> str:
    return KEPT.format(first=first, attribute=attribute)


def test_loaders_of_a_dict_that_begins_with_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model keeps one under a hook's name: with None instead Lightning ends with an error, and so does this."""
    (tmp_path / "train_ddp.py").write_text(script(tmp_path, kept()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train_ddp.py"])
    runpy.run_path("train_ddp.py", run_name="__main__")
    assert capsys.readouterr().out.splitlines()[-1] == "2"


@pytest.mark.parametrize(
    "main",
    [
        kept().replace('Kept(loaders["train"])', "Kept(lambda: [])"),  # which Lightning calls for None
        kept().replace("loaders[mode] =", "loaders[mode] = print if mode == 'else' else"),
        kept(attribute="val_dataloader"),  # a training without one goes on
        kept().replace('fit(model, loaders["train"]', "fit(model, None"),
    ],
)
def test_what_lightning_may_call_instead_is_refused(tmp_path: Path, main: str) -> None:
    with pytest.raises(CompileError, match="is assigned, and what it does is not read"):
        script(tmp_path, main)


OF_ONE = """
class Validated(Net):
    def __init__(self, both=False):
        super().__init__()
        self.both = both

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).mean())

    def loader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def train_dataloader(self):
        return self.loader()

    def val_dataloader(self):
        if self.both:
            return [self.loader(), self.loader()]
        return self.loader()


if __name__ == "__main__":
    import sys

    net = Validated(len(sys.argv) > 1)
    L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False).fit(net{given})
"""


@pytest.mark.parametrize("given", ["", ", net.loader(), [net.loader()] * len(sys.argv)"])
def test_a_step_that_cannot_be_told_of_several_loaders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    """Known when the script runs: with several it ends, as Lightning does."""
    (tmp_path / "train_ddp.py").write_text(script(tmp_path, OF_ONE.replace("{given}", given)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train_ddp.py"])
    runpy.run_path("train_ddp.py", run_name="__main__")
    assert "val_loss" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["train_ddp.py", "both"])
    with pytest.raises(SystemExit, match="add a parameter `dataloader_idx=0` to `validation_step`"):
        runpy.run_path("train_ddp.py", run_name="__main__")
