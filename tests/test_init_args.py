"""Constructor arguments that the spec gives as objects, and those that have to be given on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from ddpgen import CompileError, build
from worlds import ran

MODEL = """
from collections.abc import Callable

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, width, inner=None):
        super().__init__()
        self.layer = nn.Linear(4, width)
        self.inner = inner or nn.Identity()

    def forward(self, x):
        return self.inner(self.layer(x))


class Net(L.LightningModule):
    def __init__(
        self, encoder: nn.Module, loss, hidden: int, rate: float, optimizer: Callable, tag: str, deep: bool = True
    ):
        super().__init__()
        self.encoder, self.loss, self.optimizer, self.rate = encoder, loss, optimizer, rate
        self.head = nn.Linear(5, hidden)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.loss(self.head(self.encoder(x)), torch.zeros(len(x), self.head.out_features))

    def configure_optimizers(self):
        return self.optimizer(self.parameters(), lr=self.rate)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""

SPEC = """
strategy: single
seed_everything: 3
trainer: {max_epochs: 1, enable_progress_bar: false}
model:
  init_args:
    encoder:
      class_path: model.Encoder
      init_args: {width: 5, inner: {class_path: torch.nn.Tanh}}
    loss: {class_path: torch.nn.L1Loss, init_args: {reduction: sum}}
    optimizer: {class_path: torch.optim.SGD, init_args: {momentum: 0.5}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL.lstrip())
    (tmp_path / "spec.yaml").write_text(SPEC.lstrip())
    return tmp_path


def test_objects_and_factories(folder: Path) -> None:
    text = build(folder / "model.py", str(folder / "spec.yaml"))
    assert "encoder=Encoder(width=5, inner=Tanh())," in text
    assert 'loss=L1Loss(reduction="sum"),' in text
    assert "optimizer=partial(SGD, momentum=0.5)," in text
    assert "from torch.nn import L1Loss, Tanh\n" in text


def test_required_options(folder: Path) -> None:
    text = build(folder / "model.py", str(folder / "spec.yaml"))
    assert "@dataclass(kw_only=True)\nclass Config:" in text
    assert "    hidden: int\n    rate: float\n    tag: str\n    deep: bool = True\n" in text


def test_what_an_option_cannot_give_is_asked_of_the_spec(folder: Path) -> None:
    with pytest.raises(CompileError) as caught:
        build(folder / "model.py")
    missing = [each.message for each in caught.value.diagnostics if each.code == "missing-argument"]
    assert [message.partition(". ")[0] for message in missing] == [
        "`Net` needs a value for `encoder`, `loss`, `optimizer`"
    ]
    assert "      init_args:\n        encoder: ...\n        loss: ...\n        optimizer: ...\n" in missing[0]
    assert "class_path: torch.nn.MSELoss" in missing[0]


@pytest.mark.processes
def test_the_script_trains(folder: Path) -> None:
    (folder / "train.py").write_text(build(folder / "model.py", str(folder / "spec.yaml")))
    command = ["train.py", "--hidden", "2", "--rate", "0.1"]
    code, said = ran(*command, folder=folder)
    assert code == 2
    assert "the following arguments are required: --tag" in said
    assert ran(*command, "--tag", "x", folder=folder)[0] == 0
    checkpoint = torch.load(folder / "runs/net/last.ckpt", weights_only=True)
    assert checkpoint["optimizer_states"][0]["param_groups"][0]["momentum"] == 0.5
    assert checkpoint["state_dict"]["head.weight"].shape == (2, 5)


def test_classes_of_one_name_are_told_apart(folder: Path) -> None:
    """A library's, where the file or the script has another of that name."""
    path = folder / "model.py"
    path.write_text(
        path.read_text().replace("class Encoder(", "class Tanh(nn.Module): ...\n\n\nclass Encoder(")
    )
    script = build(path, str(folder / "spec.yaml"))
    assert "from torch.nn import Tanh as Tanh_" in script
    assert "inner=Tanh_()" in script


@pytest.mark.parametrize(
    ("arguments", "ignored", "are_plain"),
    [
        ("width=3, loss=0.5", "", True),
        ("width=3, loss: float | None = None", "", True),
        ("width=3, loss=None", "", False),
        ("width=3, loss=nn.MSELoss()", "", False),
        ("width=3, loss=nn.MSELoss()", "ignore=['loss']", True),
        ("width", "", False),
        ("width=3, **options", "", False),
    ],
)
def test_hyperparameters_that_may_be_objects_are_looked_at(
    arguments: str, ignored: str, are_plain: bool, folder: Path
) -> None:
    path, head = folder / "model.py", "self.head = nn.Linear(4, 1)"
    body = f"super().__init__()\n        self.save_hyperparameters({ignored})\n        {head}\n\n"
    text = MODEL[: MODEL.index("class Encoder")] + MODEL[MODEL.index("class Net") :]
    start, end = text.index("    def __init__"), text.index("    def training_step")
    init = f"    def __init__(self, {arguments}):\n        {body}"
    path.write_text(text[:start].lstrip() + init + text[end:])
    (folder / "spec.yaml").write_text("strategy: single\nmodel: {init_args: {width: 3}}\n")
    script = build(path, str(folder / "spec.yaml"))
    assert ('"hyper_parameters": dict(' in script) is are_plain
    assert ("def plain_entries(" in script) is not are_plain


RECORDS = """
from __future__ import annotations

from dataclasses import dataclass, field

import lightning as L
import torch
from lightning.pytorch.demos.boring_classes import BoringModel


@dataclass
class Sized:
    size: int


@dataclass
class Layers(Sized):
    depth: float = 1.0
    names: list = field(default_factory=list)


class Net(BoringModel):
    def __init__(self, layers: Layers, other: Layers | None = None):
        super().__init__()
        self.layers, self.other = layers, other
"""


def test_a_dataclass_is_given_by_its_fields(tmp_path: Path) -> None:
    """As LightningCLI takes it, without `class_path`."""
    (tmp_path / "model.py").write_text(RECORDS)
    spec = tmp_path / "spec.yaml"
    spec.write_text("model: {init_args: {layers: {size: 3, depth: 2}, other: {size: 1, names: [a]}}}\n")
    script = build(tmp_path / "model.py", spec)
    assert "Net(layers=Layers(size=3, depth=2.0), other=Layers(size=1, names=" in script
    spec.write_text("model: {init_args: {layers: {size: 3, width: 2}}}\n")
    with pytest.raises(CompileError, match="`Layers` takes no argument `width`"):
        build(tmp_path / "model.py", spec)


COMPUTED = MODEL.replace("tag: str", 'kind: Literal[tuple(KINDS.keys())] = "small", tag: str = ""').replace(
    "class Net", 'KINDS = {"small": 1, "big": 2}\n\n\nclass Net', 1
)


def test_values_of_a_literal_that_code_computes(folder: Path) -> None:
    """They are texts, as the default is; where that is none, what is given may be one or may not."""
    (folder / "model.py").write_text("from typing import Literal\n" + COMPUTED)
    spec = folder / "spec.yaml"
    spec.write_text(SPEC + "    kind: big\n")
    assert 'kind: str = "big"' in build(folder / "model.py", str(spec))
    spec.write_text(SPEC + "    kind: 2\n")
    with pytest.raises(CompileError) as caught:
        build(folder / "model.py", str(spec))
    assert [each.code for each in caught.value.diagnostics] == ["wrong-type"]
    (folder / "model.py").write_text("from typing import Literal\n" + COMPUTED.replace('] = "small"', "]"))
    spec.write_text(SPEC + "    kind: big\n")
    with pytest.raises(CompileError) as caught:
        build(folder / "model.py", str(spec))
    assert [each.code for each in caught.value.diagnostics] == ["literal-unknown"]
