"""All of what one of Lightning's modules has, imported at once: the same script as with each name by itself."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen import CompileError, build
from ddpgen.cli import main
from ddpgen.lightning.api import starred

MAIN = """
IMPORTS
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    seed_everything(3)
    callbacks = [EarlyStopping("loss"), ModelCheckpoint(monitor="loss")]
    trainer = Trainer(max_epochs=2, logger=CSVLogger("logs"), callbacks=callbacks)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))


if __name__ == "__main__":
    main()
"""
NAMED = """
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
"""
STARRED = """
from lightning.pytorch import *
from lightning.pytorch.callbacks import *  # noqa: F403
from lightning.pytorch.loggers import *
"""


def script(folder: Path, imports: str, *others: str) -> str:
    folder.mkdir()
    (folder / "main.py").write_text(MAIN.replace("IMPORTS", imports.strip()).lstrip())
    for number, text in enumerate(others):
        (folder / f"other_{number}.py").write_text(text)
    return build(folder / "main.py", "ddp")


def test_the_same_script_as_with_names(tmp_path: Path) -> None:
    assert script(tmp_path / "starred", STARRED) == script(tmp_path / "named", NAMED)


def test_through_a_module_of_ones_own(tmp_path: Path) -> None:
    text = script(tmp_path / "through", "from other_0 import *", STARRED)
    assert "class ModelCheckpoint(Callback):" in text
    assert "lightning" not in text.partition("import torch\n")[2].partition("# ---- training")[0]


def test_a_name_that_the_module_has_not(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="EarlyStopping"):
        script(tmp_path / "missing", STARRED.replace(".callbacks", ".strategies"))


@pytest.mark.parametrize("name", ["", ".callbacks", ".loggers", ".profilers", ".strategies", ".utilities"])
def test_the_table_is_lightnings(name: str) -> None:
    module = import_module(f"lightning.pytorch{name}")
    assert set(starred(module.__name__)) == set(module.__all__)


def test_a_name_that_no_star_brings_is_told(tmp_path: Path) -> None:
    """It is an error where it is reached, as it was."""
    (tmp_path / "things.py").write_text("SIZE = 4\n")
    more = "from lightning import *\nfrom things import *\n\n\ndef unused():\n    return nowhere(SIZE)\n\n"
    text = MAIN.replace("IMPORTS", more).replace(
        "from torch.utils", "from lightning.pytorch.loggers import *\nfrom torch.utils"
    )
    text = text.replace("seed_everything(3)", "seed_everything(3)\n    print(unused)").replace(
        "nn.Linear(4", "nn.Linear(SIZE"
    )
    (tmp_path / "main.py").write_text(
        text.replace('EarlyStopping("loss"), ModelCheckpoint(monitor="loss")', "")
    )
    result = CliRunner().invoke(main, ["build", str(tmp_path / "main.py")], catch_exceptions=False)
    assert "warning[undefined-name]: The name `nowhere` is defined nowhere in the file" in result.output
    assert not result.exit_code
