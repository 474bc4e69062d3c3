"""Modules that Python would not find from where the file stands: what is said where the model is lost with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

BASE = """
import lightning as L
import torch


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 4))
"""

DERIVED = """
from shared.base import Base


class Net(Base):
    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()
"""

MAIN = """
import lightning as L
from shared.base import Base

trainer = L.Trainer(max_epochs=1)
trainer.fit(Base())
"""


def said_of(folder: Path, text: str, *options: str) -> str:
    """What the build of a script in a repository says, of which the base stands in another folder."""
    (folder / "code" / "shared").mkdir(parents=True, exist_ok=True)
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "code" / "shared" / "base.py").write_text(BASE)
    (folder / "scripts" / "train.py").write_text(text)
    return CliRunner().invoke(main, ["build", "scripts/train.py", *options], catch_exceptions=False).output


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", [DERIVED, MAIN])
def test_the_folder_is_named_that_holds_it(tmp_path: Path, text: str) -> None:
    said = said_of(tmp_path, text)
    assert "`shared.base`" in said
    assert "add `--root code`" in said
    assert "wrote" in said_of(tmp_path, text, "--root", "code")


def test_where_there_is_none_the_module_is_named(tmp_path: Path) -> None:
    said = said_of(tmp_path, DERIVED.replace("shared", "other"))
    assert "[model-base-unread]" in said
    assert "`other.base`" in said
    assert "`--root FOLDER`" in said


def test_environments_and_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    for folder, file in (("env", "pyvenv.cfg"), (".cache", "x")):
        (tmp_path / folder / "hidden").mkdir(parents=True)
        (tmp_path / folder / file).write_text("")
        (tmp_path / folder / "hidden" / "base.py").write_text(BASE)
    assert "FOLDER" in said_of(tmp_path, DERIVED.replace("shared", "hidden"))


def test_torchs_classes_are_no_models(tmp_path: Path) -> None:
    said = said_of(tmp_path, DERIVED.replace("shared.base import Base", "torch.nn import Module as Base"))
    assert "[model-base-unknown]" in said
