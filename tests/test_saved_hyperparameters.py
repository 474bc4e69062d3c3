"""What hyperparameters are kept in: a namespace where entries are all that is asked of them, else a mapping."""

from __future__ import annotations

import runpy
from pathlib import Path
from textwrap import dedent, indent

import pytest
from ddpgen import build

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Base(L.LightningModule):
    BASE


class Net(Base):
    def __init__(self, ARGUMENTS):
        super().__init__()
        self.layer = nn.Linear(4, 1)
BODY

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""
SAVE = "self.save_hyperparameters()"

NAMESPACES = {
    "nothing is read": SAVE,
    "an entry": f"{SAVE}\nprint(self.hparams.rate)",
    "an entry that is set": f"{SAVE}\nself.hparams.rate = 0.2",
    "all but one": "self.save_hyperparameters(ignore='rate')",
    "by its name": "self.save_hyperparameters('rate')",
}
MAPPINGS = {
    "by its key": f"{SAVE}\nprint(self.hparams['rate'])",
    "a method": f"{SAVE}\nprint(self.hparams.get('rate'))",
    "an entry like a method": f"{SAVE}\nprint(self.hparams.items)",
    "as a whole": f"{SAVE}\nprint(self.hparams)",
    "by another name": f"{SAVE}\nvalues = self.hparams\nprint(values.rate)",
    "by a text": f"{SAVE}\nprint(getattr(self, 'hparams').rate)",
    "as they were": f"{SAVE}\nprint(self.hparams_initial.rate)",
    "a mapping of its own": "self.save_hyperparameters({'rate': rate})",
    "twice": f"{SAVE}\nself.save_hyperparameters('rate')",
}


def script(
    folder: Path, body: str, arguments: str = "rate: float = 0.1", base: str = "pass", spec: str = ""
) -> str:
    text = MODEL.replace("ARGUMENTS", arguments).replace("BODY", indent(dedent(body), " " * 8))
    (folder / "model.py").write_text(text.lstrip().replace("BASE", base))
    (folder / "spec.yaml").write_text(f"strategy: ddp\n{spec}")
    return build(folder / "model.py", str(folder / "spec.yaml"))


@pytest.mark.parametrize("body", NAMESPACES.values(), ids=NAMESPACES)
def test_entries_are_attributes(tmp_path: Path, body: str) -> None:
    text = script(tmp_path, body)
    assert "self.hparams = SimpleNamespace(" in text
    assert '"hyper_parameters": dict(vars(model.hparams)),' in text
    assert "class HParams" not in text


@pytest.mark.parametrize("body", MAPPINGS.values(), ids=MAPPINGS)
def test_others_are_a_mapping(tmp_path: Path, body: str) -> None:
    text = script(tmp_path, body)
    assert "class HParams(dict[str, Any])" in text
    assert "SimpleNamespace" not in text


def test_a_base_that_saves_has_a_mapping(tmp_path: Path) -> None:
    base = f"def __init__(self, width=3):\n        super().__init__()\n        {SAVE}"
    assert "class HParams" in script(tmp_path, "print(1)", base=base)


def test_objects_are_in_a_mapping(tmp_path: Path) -> None:
    assert "class HParams" in script(tmp_path, SAVE, arguments="loss=nn.MSELoss()")


LOGGERS = (
    "trainer: {logger: {class_path: lightning.pytorch.loggers.CSVLogger, init_args: {save_dir: logs}}}\n"
)


def test_loggers_are_told_a_mapping(tmp_path: Path) -> None:
    text = script(tmp_path, SAVE, spec=LOGGERS)
    assert "self.hparams = SimpleNamespace(" in text
    assert "vars(model.hparams))" in text


def test_loggers_are_told_nothing_that_is_saved_before_the_base_is_made(tmp_path: Path) -> None:
    """The constructor of Lightning's base forgets that loggers are to be told."""
    early = MODEL.replace("        super().__init__()\n", f"        {SAVE}\n        super().__init__()\n")
    for name, model in {"late": MODEL, "early": early}.items():
        (tmp_path / name).mkdir()
        text = model.replace("ARGUMENTS", "rate: float = 0.1").replace("BASE", "pass")
        text = text.replace("BODY", f"        {SAVE}" if name == "late" else "")
        (tmp_path / name / "model.py").write_text(text.lstrip())
    (tmp_path / "spec.yaml").write_text(f"strategy: ddp\n{LOGGERS}")
    late, early = (
        build(tmp_path / each / "model.py", str(tmp_path / "spec.yaml")) for each in ("late", "early")
    )
    assert "vars(model.hparams))" in late.replace("dict(vars(model.hparams))", "")
    assert "vars(model.hparams))" not in early.replace("dict(vars(model.hparams))", "")


def test_a_name_of_the_users_stays_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "with_class"
    folder.mkdir()
    model = MODEL.replace("class Base", "class SimpleNamespace:\n    kind = 3\n\n\nclass Base")
    (folder / "model.py").write_text(
        model.lstrip()
        .replace("ARGUMENTS", "rate: float = 0.1")
        .replace("BODY", f"        {SAVE}\n        print(SimpleNamespace.kind, self.hparams.rate)")
        .replace("BASE", "pass")
    )
    text = build(folder / "model.py", "ddp")
    assert "self.hparams = SimpleNamespace_(rate=rate)" in text
    assert "from types import SimpleNamespace as SimpleNamespace_" in text


def with_data(tmp_path: Path, argument: str) -> str:
    """The script of a model and of a data module, which saves an argument of this name."""
    data = f"""
class Data(L.LightningDataModule):
    def __init__(self, {argument}=2):
        super().__init__()
        {SAVE}

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""
    model = MODEL.partition("    def train_dataloader")[0]
    model = model.replace("BASE", "pass").replace("ARGUMENTS", "rate: float = 0.1")
    (tmp_path / "model.py").write_text(model.lstrip().replace("BODY", f"        {SAVE}") + "\n" + data)
    (tmp_path / "spec.yaml").write_text(f"strategy: ddp\n{LOGGERS}")
    return build(tmp_path / "model.py", str(tmp_path / "spec.yaml"))


def test_what_a_model_and_a_data_module_both_save_is_compared(tmp_path: Path) -> None:
    assert "merged_hyperparameters(" not in with_data(tmp_path, "rows")
    assert "merged_hyperparameters(" in with_data(tmp_path, "rate")


@pytest.mark.parametrize(
    "given",
    [
        "rate, settings",
        "'rate', rate, settings",
        "rate, 'rate', settings",
        "'rate', settings",
        "settings, 'rate'",
    ],
)
def test_of_several_objects_none_is_saved(tmp_path: Path, given: str) -> None:
    """As by Lightning, which saves the names beside them; one object takes their place."""
    arguments = "rate: float = 0.1, settings: dict = {'width': 3}"
    text = script(tmp_path, f"self.save_hyperparameters({given})", arguments)
    (tmp_path / "train.py").write_text(text)
    expected, found = (
        runpy.run_path(str(tmp_path / name))["Net"](rate=0.2) for name in ("model.py", "train.py")
    )
    saved = vars(found)["hparams"]
    assert (saved if isinstance(saved, dict) else vars(saved)) == dict(expected.hparams)
