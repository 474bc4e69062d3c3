"""All of what one of Lightning's modules has, imported at once: the same script as with each name by itself."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen import CompileError, build
from ddpgen.cli import main
from ddpgen.lightning.api import starred
from ddpgen.source.names import BUILTINS, OF_STARS

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


NET = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.scale = VALUE

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean() * self.scale

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
"""
OF_LIBRARIES = """
import lightning as L
from net import DataLoader, Net, TensorDataset, torch
BESIDE

if __name__ == "__main__":
    L.seed_everything(3)
    rows = pow(2, 3)
    trainer = L.Trainer(max_epochs=2, logger=False)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(rows, 4)), batch_size=2))
"""


def of_libraries(folder: Path, *stars: str, value: str = "sqrt(2.0)", beside: str = "") -> str:
    """What is built of a model's module that has these star imports, and of a main in another file."""
    folder.mkdir(exist_ok=True)
    text = "".join(f"from {each} import *\n" for each in stars) + NET.replace("VALUE", value)
    (folder / "net.py").write_text(text)
    (folder / "main.py").write_text(OF_LIBRARIES.replace("BESIDE", beside))
    return build(folder / "main.py", "ddp")


@pytest.mark.parametrize(
    ("stars", "value", "imported"),
    [
        (("math",), "sqrt(2.0)", "from math import sqrt"),
        (("math",), "pow(2, 2)", "from math import pow"),
        (("typing", "math"), "cast(float, tau)", "from math import tau\n"),
        (("a_library", "math"), "scale() * sqrt(2)", "from a_library import scale\n"),
        (("a_library",), "scale() * len([3])", "from a_library import scale\n"),
        (("numpy",), "sum([0.5])", "from numpy import sum\n"),
        (("tkinter.nowhere",), "scale() * 2", "from tkinter.nowhere import scale\n"),
    ],
)
def test_a_librarys_names_are_imported_one_by_one(
    tmp_path: Path, stars: tuple[str, ...], value: str, imported: str
) -> None:
    """Else `pow` of `math`, say, took the place of Python's in a main of another module."""
    text = of_libraries(tmp_path, *stars, value=value)
    assert imported in text
    assert "import *" not in text


def test_a_star_of_which_nothing_is_used(tmp_path: Path) -> None:
    text = of_libraries(tmp_path, "typing", "abc", value="2.0")
    assert "import *" not in text


def test_of_several_stars_whose_names_are_not_known_all_stay(tmp_path: Path) -> None:
    """The later of them may have what is another's, and then it counts."""
    text = of_libraries(tmp_path, "math", "a_library", "another", beside="pow = int.__pow__")
    assert all(f"from {each} import *\n" in text for each in ("math", "a_library", "another"))


def test_they_may_not_change_what_other_modules_mean(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        of_libraries(tmp_path, "numpy", "torch")
    (said,) = caught.value.diagnostics
    assert said.code == "restarred"
    assert said.span
    assert (said.span.line, said.span.column) == (8, 12)
    of_libraries(tmp_path, "numpy", "torch", beside="from math import pow")


def test_pythons_names_that_libraries_have_too() -> None:
    """The table, which is read without importing what is large, is that of the libraries."""
    for library, names in OF_STARS.items():
        module = import_module(library)
        public = getattr(module, "__all__", None) or [each for each in vars(module) if each[0] != "_"]
        assert names == BUILTINS & {*public}, library
