"""Constructors of Lightning's classes that are called by the name of the class, and those that `super()` is not."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
    import lightning as L
    import torch
    from torch import nn


    class Counted:
        def __init__(self):
            super().__init__()
            self.count = 0


    class Layers(nn.Module):
        pass


    class Net({bases}):
        def __init__(self):
            L.LightningModule.__init__({given})
            self.layer = nn.Linear(2, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

        def train_dataloader(self):
            return torch.utils.data.DataLoader(torch.ones(8, 2), 4)
"""

DIAMOND = """

    class Other(L.LightningModule):
        def __init__(self):
            super().__init__()


    class Both(Net, Other):
        pass
"""


def built(folder: Path, code: str) -> tuple[str, str]:
    """What the build says, and the script, if there is one."""
    (folder / "model.py").write_text(dedent(code))
    script = folder / "train.py"
    options = ["--strategy", "single", "--model", "Net", "-o", str(script)]
    said = CliRunner().invoke(main, ["build", str(folder / "model.py"), *options]).output
    return said, script.read_text() if script.exists() else ""


@pytest.mark.parametrize(
    ("bases", "given"), [("L.LightningModule", "self"), ("L.LightningModule, Counted", "self")]
)
def test_where_super_leads_there_too(tmp_path: Path, bases: str, given: str) -> None:
    said, script = built(tmp_path, MODEL.format(bases=bases, given=given))
    assert "        super().__init__()\n        self.layer" in script, said


UNBOUND = """

    class Ones(L.LightningDataModule):
        def __init__(self):
            super({named}).__init__()
            self.prepare_data_per_node = True
            self.allow_zero_length_dataloader_with_multiple_devices = self._log_hyperparams = False

        def train_dataloader(self):
            return torch.utils.data.DataLoader(torch.ones(8, 2), 4)
"""


def test_an_unbound_super_calls_none(tmp_path: Path) -> None:
    """It makes itself anew, for the class that it stands in, and is not looked at again."""
    code = MODEL.format(bases="L.LightningModule", given="self").replace("train_dataloader", "loader")
    said, script = built(tmp_path, code + UNBOUND.format(named="L.LightningDataModule"))
    assert "        super(object).__init__()\n        self.prepare" in script, said
    assert (
        "error[unsupported-lightning-name]"
        in built(tmp_path, code + UNBOUND.format(named="L.LightningDataModule).__init__, super("))[0]
    )


@pytest.mark.parametrize(
    ("bases", "given", "more"),
    [
        ("L.LightningModule", "self=self", ""),
        ("L.LightningModule", "*(self,)", ""),
        ("L.LightningModule", "self", DIAMOND),
    ],
)
def test_where_super_leads_elsewhere(tmp_path: Path, bases: str, given: str, more: str) -> None:
    said, script = built(tmp_path, MODEL.format(bases=bases, given=given) + more)
    assert "error[unsupported-lightning-name]" in said
    assert not script
