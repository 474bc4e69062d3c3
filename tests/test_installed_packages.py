"""Models, data modules and callbacks of installed packages: their code is read, and becomes part of the script."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import run

INSTALLED = Path(__file__).with_name("installed")
METADATA = """Metadata-Version: 2.1
Name: tidy-learners
Version: 1.4
Classifier: License :: OSI Approved :: MIT License
Requires-Dist: torch
Requires-Dist: {lightning}
"""
MAIN = """
import lightning as L
import torch
from tidy_learners import Noter, Regressor, Rows
from tidy_learners.numbers import scaled


class Mine(Regressor):
    def on_train_start(self):
        self.factor = scaled(2.0)


if __name__ == "__main__":
    L.seed_everything(5)
    noter = Noter()
    trainer = L.Trainer(max_epochs=2, callbacks=[noter], logger=False)
    model = Mine(5)
    trainer.fit(model, datamodule=Rows(22))
    if trainer.is_global_zero:
        torch.save([noter.noted, model.factor, dict(model.hparams)], "noted.pt")
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path that has the package."""
    folder = tmp_path / "site"
    shutil.copytree(INSTALLED, folder)
    install(folder, "lightning>=2.0")
    monkeypatch.syspath_prepend(folder)
    return folder


def install(site: Path, lightning: str) -> None:
    """Say of the package that it is installed, and what it requires."""
    about = site / "tidy_learners-1.4.dist-info"
    about.mkdir(exist_ok=True)
    (about / "METADATA").write_text(METADATA.format(lightning=lightning))
    (about / "RECORD").write_text("tidy_learners/__init__.py,,\n")


def built(folder: Path, text: str, *arguments: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "main.py").write_text(text)
    command = ["build", str(folder / "main.py"), "-o", str(folder / "train.py"), *arguments]
    return CliRunner().invoke(main, command, catch_exceptions=False).output


def run_both(project: Path, site: Path, folder: Path, ranks: int) -> None:
    """Run a main under Lightning, and its script."""
    jobs = [
        {
            "program": str(project / program),
            "path": [str(project), *path],
            "arguments": [],
            "cwd": str(folder / program.removesuffix(".py")),
            "weights": str(folder / "lightning.pt") if path else None,
            "log": str(folder / f"{program}.log"),
            "world": ranks,
        }
        for program, path in (("main.py", [str(site)]), ("train.py", []))
    ]
    run(folder, jobs, ranks)
    for log in folder.glob("*.log"):
        raise AssertionError(log.read_text())


@pytest.mark.processes
@pytest.mark.parametrize("ranks", [1, 2])
def test_classes_of_a_package_train_as_under_lightning(ranks: int, site: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    said = built(project, MAIN)
    assert (
        "note[package-taken]: Code of the installed package `tidy-learners` 1.4 becomes part of the script"
        in said
    )
    assert "`tidy_learners.models.base`" in said
    assert "under the licence MIT License" in said
    run_both(project, site, tmp_path, ranks)
    expected = torch.load(tmp_path / "lightning.pt", weights_only=True)
    (checkpoint,) = (tmp_path / "train").rglob("last.ckpt")
    trained = torch.load(checkpoint, weights_only=True)["state_dict"]
    assert trained.keys() == expected.keys()
    assert all(torch.equal(trained[name], value) for name, value in expected.items())
    theirs, ours = (
        torch.load(tmp_path / each / "noted.pt", weights_only=False) for each in ("main", "train")
    )
    assert [*map(float, theirs[0])] == [*map(float, ours[0])]
    assert theirs[1:] == ours[1:]


def test_classes_that_a_file_of_settings_names(site: Path, tmp_path: Path) -> None:
    settings = tmp_path / "fit.yaml"
    settings.write_text(
        "model: {class_path: tidy_learners.Regressor, init_args: {width: 3}}\n"
        "data: {class_path: tidy_learners.data.Rows}\n"
        "trainer: {callbacks: [{class_path: tidy_learners.Noter}]}\n"
    )
    said = built(
        tmp_path,
        "from lightning.pytorch.cli import LightningCLI\n\nLightningCLI()\n",
        "--strategy",
        str(settings),
    )
    assert "wrote" in said
    assert "class Regressor(Learner):" in (tmp_path / "train.py").read_text()


def test_nothing_of_a_package_is_run(site: Path, tmp_path: Path) -> None:
    file = site / "tidy_learners" / "__init__.py"
    file.write_text(f"{file.read_text()}\nraise SystemExit\n")
    assert "wrote" in built(tmp_path, MAIN)
    assert "tidy_learners" not in sys.modules


def test_a_package_that_needs_no_lightning_goes_on_being_imported(site: Path, tmp_path: Path) -> None:
    install(site, 'lightning; extra == "train"')
    text = MAIN.replace("import Noter, Regressor, Rows", "import Rows").partition("class Mine")[0]
    model = (
        "from torch import nn\n\n\nclass Net(L.LightningModule):\n    def training_step(self, batch, i):\n"
    )
    text += (
        f"{model}        return scaled(batch[0].sum())\n\n    def configure_optimizers(self):\n        ...\n"
    )
    assert "package-taken" not in built(tmp_path, f"{text}\n\nL.Trainer().fit(Net(), [1])\n")
    assert "from tidy_learners.numbers import scaled" in (tmp_path / "train.py").read_text()


def test_a_package_that_is_not_there(tmp_path: Path) -> None:
    said = built(
        tmp_path, MAIN.replace("tidy_learners", "tidier_learners").replace("Mine(5)", "Regressor(5)")
    )
    assert said.count("error[") == 1
    assert "No package here has `tidier_learners`: install the one that has where ddpgen runs" in said


TRAINING = """
import lightning as L
import torch
from tidy_learners import Rows
from tidy_learners.series import Forecaster, Scale

if __name__ == "__main__":
    L.seed_everything(5)
    model = Forecaster(5, Scale(3.0), rate=0.2)
    kept = L.pytorch.callbacks.ModelCheckpoint(dirpath="kept", filename="{epoch}")
    trainer = L.Trainer(max_epochs=2, logger=False, accelerator="cpu", callbacks=[kept])
    trainer.fit(model, datamodule=Rows(22))
    found = [model.state_dict(), dict(model.hparams), model.extra_repr()]
"""
PREDICTING = """
    data = Rows(22)
    data.setup("predict")
    loaded = Forecaster.load_from_checkpoint(kept.best_model_path)
    cpu = {"accelerator": "cpu", "logger": False, "devices": 1}
    found += [loaded.state_dict(), loaded.scale.by, dict(loaded.hparams)]
    found += [loaded.predict(data.val_dataloader(), trainer_kwargs=dict(cpu))]
    found += [loaded.predict(data.val_dataloader(), 3.0, "epoch", dict(cpu))]
"""
SAVED = """
    if trainer.is_global_zero:
        torch.save(found, "found.pt")
"""


@pytest.mark.processes
@pytest.mark.parametrize(("ranks", "more"), [(1, ""), (2, ""), (1, PREDICTING)])
def test_a_model_that_can_do_more_trains_as_under_lightning(
    ranks: int, more: str, site: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    said = built(project, TRAINING + more + SAVED)
    assert "wrote" in said
    run_both(project, site, tmp_path, ranks)
    theirs, ours = (
        torch.load(tmp_path / each / "found.pt", weights_only=False) for each in ("main", "train")
    )
    assert first_difference(theirs, ours, "found") is None


def test_methods_of_a_package_that_nothing_names_are_left_out(site: Path, tmp_path: Path) -> None:
    said = built(tmp_path, TRAINING)
    assert "note[methods-left-out]" in said
    names = ("predict_step", "load_from_checkpoint", "predict", "checked")
    left = ", ".join(f"`Series.{name}`" for name in names)
    assert f"`Forecaster.checks`, {left}." in said
    script = (tmp_path / "train.py").read_text()
    assert not any(f"def {name}(" in script for name in (*names, "checks"))
    assert "manual_seed(23)" not in script
    assert "# the data's own unit" in script


def test_a_method_that_a_variable_may_name_says_that_it_is_not_there(site: Path, tmp_path: Path) -> None:
    more = "    for name in ('checks', 'stage', 'rate'):\n        print(hasattr(model, name))\n"
    said = built(tmp_path, TRAINING + more)
    assert "wrote" in said
    script = (tmp_path / "train.py").read_text()
    stub = script.partition("def checks(self, *args, **kwargs):\n")[2].lstrip()
    assert stub.startswith("raise NotImplementedError(")
    assert "`checks` is not in this script: nothing in it called that by its name" in stub


@pytest.mark.parametrize(
    "asking",
    [
        "model.checks",
        "getattr(model, 'checks')",
        "hasattr(model, 'checks')",
        "operator.methodcaller('checks')(model)",
    ],
)
def test_a_method_that_is_named_stays(asking: str, site: Path, tmp_path: Path) -> None:
    built(tmp_path, f"import operator\n{TRAINING}    print({asking})\n")
    assert not (tmp_path / "train.py").exists()  # it needs what is done too early
