"""The spec that `ddpgen init MODEL.py` writes: what the model and its data need, ready to fill in."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from click.testing import CliRunner
from ddpgen.cli import main
from jsonschema import Draft202012Validator

MODEL = """
import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(
        self, width: int, backbone: nn.Module, lr: float = 1e-3, act: nn.Module = nn.ReLU(), betas=(0.9, 0.99)
    ):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.backbone = backbone

    def training_step(self, batch, batch_idx):
        return self.layer(self.backbone(batch[0])).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
"""

DATA = """
import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Digits(Dataset):
    pass


def make_loader() -> DataLoader:
    return DataLoader(Digits())
"""

MODULE = """

class DigitsData(L.LightningDataModule):
    def __init__(self, root: str, batch_size: int = 4):
        super().__init__()

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class OtherData(DigitsData):
    pass
"""

LOADER = """
    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(8, 4))
"""


OBJECT = "{class_path: package.module.Class, init_args: {}}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("pyproject.toml", "")


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def run(*command: str) -> str:
    return CliRunner().invoke(main, command, catch_exceptions=False).output


def made() -> str:
    """The sections of the model and the data."""
    text = Path("ddp.yaml").read_text()
    return text[text.index("model:") : text.index("#sync:")].strip()


def test_what_has_to_be_given_stands_first_and_defaults_are_comments() -> None:
    write("model.py", MODEL)
    write("digits/data.py", DATA + MODULE)
    assert run("init", "model.py") == "wrote ddp.yaml\nwrote .ddpgen/spec.schema.json\n"
    expected = """
        model:
          class_path: Net
          init_args:
            width: ...            # int
            backbone: ...         # nn.Module, such as {OBJECT}
            # lr: 0.001           # float
            # act: ...            # nn.Module, such as {OBJECT}, by default nn.ReLU()
            # betas: [0.9, 0.99]

        data:
          class_path: digits.data.DigitsData
          # or: digits.data.OtherData
          init_args:
            root: ...        # str
            # batch_size: 4  # int
        """
    assert made() == dedent(expected).replace("{OBJECT}", OBJECT).strip()


def test_it_builds_once_it_is_filled_in() -> None:
    write("model.py", MODEL)
    write("digits/data.py", DATA + MODULE)
    run("init", "model.py")
    said = run("build", "model.py", "--strategy", "ddp.yaml")
    assert "error[yaml-blank]: This is still blank." in said
    assert said.count("...") >= 3
    text = Path("ddp.yaml").read_text()
    for name, value in (("width", "4"), ("backbone", "torch.nn.Identity"), ("root", "here")):
        text = text.replace(f"{name}: ...", f"{name}: {value}")
    Path("ddp.yaml").write_text(text.replace("# lr:", "lr:"))
    assert "wrote train_ddp.py" in run("build", "model.py", "--strategy", "ddp.yaml")
    schema = yaml.safe_load(Path(".ddpgen/spec.schema.json").read_text())
    assert not list(Draft202012Validator(schema).iter_errors(yaml.safe_load(Path("ddp.yaml").read_text())))


def test_a_data_module_in_the_file_itself() -> None:
    write(
        "model.py", MODEL + MODULE.partition("class OtherData")[0].replace("DataLoader(Tensor", "list(Tensor")
    )
    run("init", "model.py")
    assert "  class_path: DigitsData\n  init_args:\n    root: ...        # str" in made()


def test_loaders_of_the_models_own() -> None:
    write("model.py", MODEL + LOADER)
    run("init", "model.py")
    assert made().endswith("# `Net` brings its own data: its `train_dataloader`.")


def test_without_a_data_module_datasets_are_named() -> None:
    write("model.py", MODEL)
    write("digits.py", DATA)
    run("init", "model.py")
    assert made().partition("data:\n")[2].splitlines() == [
        "  class_path: ...  # your LightningDataModule, such as package.module.Data",
        "  # what it may be made of: digits.Digits, a Dataset",
        "  # what it may be made of: digits.make_loader, a DataLoader",
    ]


def test_modules_of_a_package_are_named_from_its_root() -> None:
    for path in ("pkg/__init__.py", "pkg/data/__init__.py"):
        write(path, "")
    write("pkg/model.py", MODEL)
    write("pkg/data/digits.py", DATA + MODULE)
    assert "wrote pkg/ddp.yaml" in run("init", "pkg/model.py")
    assert "class_path: pkg.data.digits.DigitsData" in Path("pkg/ddp.yaml").read_text()


def test_several_models() -> None:
    write("model.py", MODEL + LOADER + (MODEL + LOADER).replace("class Net", "class Other"))
    assert "`Net`, `Other`. Choose one with --model CLASS." in run("init", "model.py")
    assert not Path("ddp.yaml").exists()
    run("init", "model.py", "other.yaml", "--model", "Other")
    assert "class_path: Other" in Path("other.yaml").read_text()


def test_a_main_makes_its_objects_by_itself() -> None:
    main = "import sys\nfor n in sys.argv:\n    L.Trainer(max_epochs=int(n)).fit(Net(4, nn.Identity()))\n"
    write("train.py", MODEL + LOADER + main)
    run("init", "train.py")
    assert "# The code makes the model and the data by itself." in Path("ddp.yaml").read_text()
    assert "wrote train_ddp.py" in run("build", "train.py", "--strategy", "ddp.yaml")


def made_by_the_entry(call: str) -> str:
    write("model.py", MODEL + LOADER + f'\nif __name__ == "__main__":\n    L.Trainer().fit({call})\n')
    run("init", "model.py")
    return made()


def test_what_the_entry_gives_is_no_blank() -> None:
    assert "width" not in made_by_the_entry("Net(width=4, backbone=None)")


def test_no_file_is_overwritten() -> None:
    write("model.py", MODEL + LOADER)
    write("ddp.yaml", "strategy: single\n")
    assert "is there already" in run("init", "model.py")
    assert Path("ddp.yaml").read_text() == "strategy: single\n"


def test_two_files_of_which_the_first_is_no_models() -> None:
    assert "The first of two files is the model's" in run("init", "a.yaml", "b.yaml")
