"""What is read of the hooks that return loaders: whether they are several, read together."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from ddpgen import build
from ddpgen.facts.data.loaders import are_together, loader_facts
from ddpgen.link.project import read_project
from ddpgen.source.source import Source

FILE = """\
import lightning as L
from torch.utils.data import DataLoader

from elsewhere import make_loaders

LOADERS = [DataLoader(range(4)), DataLoader(range(6))]


class M(L.LightningModule):
    pair = (DataLoader(range(4)), DataLoader(range(6)))

    def train_dataloader(self):
"""

TOGETHER = {
    "a list": "return [DataLoader(range(4)), DataLoader(range(6))]",
    "a variable's": "loaders = {'a': DataLoader(range(4))}\nreturn loaders",
    "an annotated variable's": "loaders: list = [DataLoader(range(4))]\nreturn loaders",
    "an attribute's": "self.loaders = [DataLoader(range(4))]\nreturn self.loaders",
    "an annotated attribute's": "self.loaders: list = [DataLoader(range(4))]\nreturn self.loaders",
    "the class's": "return self.pair",
    "the file's": "return LOADERS",
}

ALONE = {
    "one": "return DataLoader(range(4))",
    "a variable's": "loader = DataLoader(range(4))\nreturn loader",
    "a variable's of the file's name": "LOADERS = DataLoader(range(4))\nreturn LOADERS",
    "another file's": "return make_loaders()",
}


def reads_together(body: str) -> bool:
    """Semantics 4.7: several loaders are combined into one."""
    project = read_project(Source.parse("model.py", FILE + indent(body, " " * 8)))
    return are_together(project, project.classes["M"], "train_dataloader")


@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER)
def test_what_is_read_together(body: str) -> None:
    assert reads_together(body)


@pytest.mark.parametrize("body", ALONE.values(), ids=ALONE)
def test_what_is_not(body: str) -> None:
    assert not reads_together(body)


OWNER = """\
import lightning as L
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, SubsetRandomSampler
from torch.utils.data import TensorDataset, random_split

from elsewhere import Prefetched


class Stream(IterableDataset):
    pass


class M(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.data = None
        self.stored = DataLoader(TensorDataset(torch.ones(4)), 2)
        self.options = {"num_workers": 2}

    def setup(self, stage):
        self.data, self.rest = random_split(TensorDataset(torch.ones(8)), [4, 4])

    def loader(self, data, shuffle=False, **options):
        return DataLoader(data, batch_size=2, shuffle=shuffle, **options)

    def val_dataloader(self):
        return self.loader(Stream())

    def train_dataloader(self):
"""

READ = {
    "an attribute's": ("return self.stored", "map, plain, tensors"),
    "a part of a dataset": ("return DataLoader(self.data, 2, True)", "map, plain, tensors, shuffled"),
    "a method's, told from another hook's": (
        "return self.loader(self.data, True)",
        "map, plain, tensors, shuffled",
    ),
    "a method's default": ("return self.loader(self.rest)", "map, plain, tensors"),
    "options that are passed on": (
        "return self.loader(self.data, num_workers=2, shuffle=True)",
        "map, plain, tensors, shuffled, workers",
    ),
    "options by a dict": ("return DataLoader(self.data, **self.options)", "map, plain, tensors, workers"),
    "options that may be missing": (
        "options = {}\nif self.data:\n    options['shuffle'] = True\nreturn DataLoader(self.data, **options)",
        "map, shuffled?, workers, generator",
    ),
    "a stream": ("return self.loader(Stream())", "unsized"),
    "a list": ("return DataLoader([1, 2], 2)", "map, plain"),
    "set later": (
        "loader = DataLoader(self.data, 2)\nloader.num_workers = 2\nreturn loader",
        "map, shuffled?, workers, generator",
    ),
    "wrapped": ("return Prefetched(DataLoader(self.data))", "unsized, shuffled?, workers, generator"),
    "a sampler": ("return DataLoader(self.data, 2, None, range(4))", "map"),
    "a sampler with a generator": (
        "return DataLoader(self.data, 2, sampler=RandomSampler(self.data, generator=torch.Generator()))",
        "map, generator",
    ),
    "in a batch sampler": (
        "sampler = SubsetRandomSampler(range(4), torch.Generator())\n"
        "return DataLoader(self.data, batch_sampler=BatchSampler(sampler, 2, False))",
        "map, generator",
    ),
    "a sampler without one": ("return DataLoader(self.data, 2, sampler=RandomSampler(self.data))", "map"),
    "no sampler": ("return DataLoader(self.data, 2, sampler=None)", "map, plain, tensors"),
    "one of two": (
        "if self.data:\n    return DataLoader(self.data, 2, shuffle=True)\nreturn self.loader(self.rest)",
        "map, plain, tensors, shuffled?",
    ),
}


@pytest.mark.parametrize(("body", "read"), READ.values(), ids=READ)
def test_what_is_read_of_loaders(body: str, read: str) -> None:
    project = read_project(Source.parse("model.py", OWNER + indent(body, " " * 8)))
    found = loader_facts(project, "train_dataloader", project.classes["M"], None)
    assert found is not None
    said = {
        "plain": found.is_plain,
        "tensors": found.has_tensor_batches,
        "shuffled": found.shuffle is True,
        "shuffled?": found.shuffle is None,
        "workers": found.has_workers,
        "generator": found.has_generator,
    }
    assert ", ".join([found.dataset, *(name for name, holds in said.items() if holds)]) == read


SHARED = """\
import lightning as L
from lightning.pytorch.demos.boring_classes import BoringDataModule, BoringModel


class Data(BoringDataModule):
    {data}

    def prepare_data(self):
        print("data")


class Model(BoringModel):
    {model}

    def prepare_data(self):
        print("model")


if __name__ == "__main__":
    L.Trainer(max_epochs=1).fit(Model(), Data())
"""


@pytest.mark.parametrize("of", ["data", "model"])
def test_nodes_that_share_their_data(of: str, tmp_path: Path) -> None:
    """It is prepared by one process of all, where the class says so; else by one of each node."""
    says = {"data": "pass", "model": "pass"} | {of: "prepare_data_per_node = False"}
    (tmp_path / "model.py").write_text(SHARED.format(**says))
    script = build(tmp_path / "model.py", "ddp")
    condition = f'if getattr({of}, "prepare_data_per_node", True) or ranks.rank == 0:'
    assert f"        {condition}\n            {of}.prepare_data()\n" in script
    other = "model" if of == "data" else "data"
    assert f"\n        {other}.prepare_data()\n" in script


CALLBACKS = """\
import time

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LambdaCallback, LearningRateMonitor, Timer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric, MetricCollection


class Rates(LearningRateMonitor):
    def on_train_epoch_start(self, trainer, pl_module):
        print(trainer.current_epoch)


class Noise(L.Callback):
    def on_train_start(self, trainer, pl_module):
        print(torch.rand(()))


class Notes(L.Callback):
    def on_train_start(self, trainer, pl_module):
        super().on_train_start(trainer, pl_module)
        self.began = time.time()

    def on_train_epoch_start(self, trainer, pl_module):
        self.values = []
        self.rates = [group["lr"] for group in trainer.optimizers[0].param_groups]
        self.is_first = trainer.current_epoch == 0
        pl_module.mean.reset()
        pl_module.reset_others()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.mean, self.others, self.loader = MeanMetric(), MetricCollection([MeanMetric()]).clone("a"), []

    @property
    def drawn(self):
        return torch.rand(())

    def reset_others(self):
        self.others.reset()

    def set_value(self):
        self.value = 1

    def recurse(self):
        self.recurse()

{hook}
    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).sum()

    def validation_step(self, batch, batch_idx):
        self.log("val", self.layer(batch[0]).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    data = DataLoader(TensorDataset(torch.rand(8, 2)), batch_size=2, shuffle=True)
    L.Trainer(max_epochs=2, callbacks=[{callback}]).fit(Net(), data, data)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("callback", "is_early"),
    [
        ("EarlyStopping('val')", False),
        ("LearningRateMonitor()", False),
        ("Timer('00:01:00:00')", False),
        ("Notes()", False),
        ("Rates()", True),
        ("Noise()", True),
        ("LambdaCallback(on_train_start=lambda trainer, module: print(torch.rand(())))", True),
        ("LambdaCallback(on_train_end=lambda trainer, module: print(torch.rand(())))", False),
    ],
)
def test_an_iterator_is_made_before_hooks_that_may_draw(
    tmp_path: Path, callback: str, is_early: bool
) -> None:
    """Semantics 4.5: it draws a random number itself; of Lightning's own callbacks none does at the start."""
    (tmp_path / "main.py").write_text(CALLBACKS.replace("{callback}", callback).replace("{hook}", ""))
    script = build(tmp_path / "main.py", "ddp")
    assert ("iter(train_loader)" in script) is is_early
    resumed = "the run has drawn before what hooks draw as it starts"
    assert (resumed in script) is is_early


@pytest.mark.parametrize(
    ("body", "is_early"),
    [
        ("self.mean.reset()", False),
        ("self.reset_others()", False),
        ("if self.trainer.current_epoch > 1:\n    self.mean.reset()", False),
        ("now = time.time()", False),
        ("self.recurse()", False),
        ("for group in self.trainer.optimizers[0].param_groups:\n    group['lr'] = 0.1", True),
        ("x = [group['lr'] for group in self.loader]", True),
        ("x = list(self.loader)", True),
        ("x = []\nx += self.loader", True),
        ("x = list()", False),
        ("x = self.drawn", True),
        ("self.value = 1", True),
        ("self.set_value()", True),
        ("x = self.loader[0]", True),
        ("x = [each for each in self.loader]", True),
        ("x = 1 in self.loader", True),
        ("self.loader.clear()", True),
        ("self.layer.reset_parameters()", True),
        ("self.unknown()", True),
        ("self.log('x', 1.0)", True),
        ("self.layer(torch.rand(2))", True),
        ("with torch.no_grad():\n    self.mean.reset()", True),
    ],
)
def test_a_hook_that_resets_metrics_draws_nothing(tmp_path: Path, body: str, is_early: bool) -> None:
    hook = "    def on_train_epoch_start(self):\n" + indent(body, " " * 8) + "\n"
    text = CALLBACKS.replace("{callback}", "EarlyStopping('val')").replace("{hook}", hook)
    (tmp_path / "main.py").write_text(text)
    script = build(tmp_path / "main.py", "ddp")
    assert ("iter(train_loader)" in script) is is_early
