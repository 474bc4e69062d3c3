"""Mains that make objects of the classes that a file names, without hydra: what is understood, and what stops."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.lightning.module_names import (
    ALWAYS_HAS,
    INNER,
    OF_CLASS,
    OF_HYPERPARAMETERS,
    OF_MODULES,
    PROPERTIES,
    STATE,
)
from ddpgen.lightning.trainer_names import TRAINER_NAMES, WITHOUT_SETTER

PROJECT = Path(__file__).with_name("projects") / "main_targets"

NETS = """
import lightning as L
import torch
from making import make
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, layer):
        super().__init__()
        self.layer = make(layer)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class OtherNet(Net):
    pass
"""

LITERALS = """
import lightning as L
from making import make

LAYER = {layer}

if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, enable_progress_bar=False)
    trainer.folder = "runs"
    trainer.fit(make({net}))
    print(trainer.folder)
"""

FORMS = {
    "rsplit": (
        'module, name = config["target"].rsplit(".", 1)\n'
        '    return getattr(importlib.import_module(module), name)(**config.get("params", {}))',
        '{"target": "torch.nn.Linear", "params": {"in_features": 4, "out_features": 1}}',
        '{"target": "nets.Net", "params": {"layer": LAYER}}',
    ),
    "two-keys": (
        'cls = getattr(importlib.import_module(config["module"]), config["class"])\n'
        '    return cls(**config["args"])',
        '{"module": "torch.nn", "class": "Linear", "args": {"in_features": 4, "out_features": 1}}',
        '{"module": "nets", "class": "Net", "args": {"layer": LAYER}}',
    ),
    "beside-the-name": (
        'given = {key: value for key, value in config.items() if key != "type"}\n'
        '    path, name = config["type"].split(":")\n'
        "    return getattr(importlib.import_module(path), name)(**given)",
        '{"type": "torch.nn:Linear", "in_features": 4, "out_features": 1}',
        '{"type": "nets:Net", "layer": LAYER}',
    ),
    "partition": (
        'path, _, name = config["path"].rpartition(".")\n'
        "    module = importlib.import_module(path)\n"
        '    return getattr(module, name)(*config.get("given", []), **config.get("named", {}))',
        '{"path": "torch.nn.Linear", "given": [4, 1]}',
        '{"path": "nets.Net", "named": {"layer": LAYER}}',
    ),
    "put-together": (
        'module = f"torch.{config[\'of\']}" if config["of"] == "nn" else config["of"]\n'
        '    return getattr(importlib.import_module(module), config["name"].strip())(**config["with"])',
        '{"of": "nn", "name": "Linear ", "with": {"in_features": 4, "out_features": 1}}',
        '{"of": "nets", "name": "Net", "with": {"layer": LAYER}}',
    ),
}


def ddpgen(*arguments: str) -> str:
    return CliRunner().invoke(main, arguments, catch_exceptions=False).output


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "single.yaml").write_text("strategy: single\n")
    return folder


def build(project: Path, *arguments: str) -> str:
    """What is said."""
    told = ("--", *arguments) if arguments else ()
    return ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"), *told)


def run(project: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(project)
    monkeypatch.setattr("sys.argv", ["train_single.py", *arguments])
    runpy.run_path("train_single.py", run_name="__main__")


def with_target(project: Path, old: str, new: str) -> Path:
    """Another file of settings, with another class in it."""
    settings = (project / "conf" / "autoencoder.yaml").read_text()
    assert old in settings
    other = project / "conf" / "other.yaml"
    other.write_text(settings.replace(old, new))
    return other


def written(project: Path, body: str, layer: str, net: str) -> None:
    """A project whose code names the classes itself."""
    (project / "main.py").write_text(LITERALS.format(layer=layer, net=net))
    (project / "nets.py").write_text(NETS)
    (project / "making.py").write_text(f"import importlib\n\n\ndef make(config):\n    {body}\n")
    shutil.rmtree(project / "nets")


def test_a_class_of_the_projects_that_is_not_in_the_script_stops_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "wrote" in build(project)
    other = with_target(project, "nets.parts.Encoder", "nets.parts.Wide")
    with pytest.raises(SystemExit, match=rf"not built for nets\.parts\.Wide: .* -- --base {other}"):
        run(project, monkeypatch, "--base", str(other))


def test_a_class_of_lightnings_that_is_not_in_the_script_stops_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "wrote" in build(project)
    other = with_target(project, "callbacks.EarlyStopping", "callbacks.Timer")
    with pytest.raises(SystemExit, match=r"not built for lightning\.pytorch\.callbacks\.Timer"):
        run(project, monkeypatch, "--base", str(other))


def test_a_class_of_a_librarys_is_imported(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wrote" in build(project)
    other = with_target(project, "torch.nn.MSELoss", "torch.nn.L1Loss")
    run(project, monkeypatch, "--base", str(other))


def test_the_file_is_told_behind_the_build(project: Path) -> None:
    summary = "summary:\n      target: lightning.pytorch.callbacks.RichModelSummary\n    stopping:"
    other = with_target(project, "stopping:", summary)
    assert "wrote" in build(project, "--base", str(other))
    assert "make_rich_model_summary" in (project / "train_single.py").read_text()


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_functions_that_make_objects(
    form: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(project, *FORMS[form])
    said = build(project)
    assert "wrote" in said, said
    script = (project / "train_single.py").read_text()
    assert '"nets.Net": Net' in script
    assert "OtherNet" not in script
    run(project, monkeypatch)
    assert capsys.readouterr().out.endswith("runs\n")


def test_of_a_name_that_code_sets_anew_the_script_looks_at_the_object(project: Path) -> None:
    entry = project / "main.py"
    text = entry.read_text()
    entry.write_text(
        text.replace("    L.seed", '    config.model.target = "nets.autoencoder.Other"\n    L.seed')
    )
    assert "wrote" in build(project)
    assert 'require_class(model, "Autoencoder")' in (project / "train_single.py").read_text()


def test_what_is_imported_for_what_it_does_is_left_alone(project: Path) -> None:
    written(project, *FORMS["rsplit"])
    making = project / "making.py"
    making.write_text(f"{making.read_text()}\n\ndef register(name):\n    importlib.import_module(name)\n")
    said = build(project)
    assert "module-name-unknown" in said
    assert not (project / "train_single.py").exists()


def test_nothing_takes_what_stands_behind_the_build_where_the_code_alone_names_classes(project: Path) -> None:
    written(project, *FORMS["rsplit"])
    assert "overrides-unused" in build(project, "--base", "conf/other.yaml")


def test_an_attribute_of_lightnings_is_not_a_trainers_own(project: Path) -> None:
    written(project, *FORMS["rsplit"])
    entry = project / "main.py"
    entry.write_text(entry.read_text().replace("trainer.folder", "trainer.precision_plugin"))
    assert "unsupported-trainer-use" in build(project)


def test_the_names_of_lightnings_trainer() -> None:
    import lightning as L

    trainer = L.Trainer(logger=False, enable_checkpointing=False, accelerator="cpu")
    assert {name for name in dir(trainer) if not name.startswith("_")} == TRAINER_NAMES
    members = ((name, getattr(L.Trainer, name, None)) for name in TRAINER_NAMES)
    unset = {name for name, each in members if isinstance(each, property) and each.fset is None}
    assert unset == WITHOUT_SETTER


def test_what_modules_have_and_data_modules_have_not() -> None:
    import lightning as L
    import torch

    of_module, of_data = ({*dir(cls), *vars(cls())} for cls in (L.LightningModule, L.LightningDataModule))
    names = {name for name in of_module - of_data if not name.startswith("_")}
    assert names == {name for name in OF_MODULES if not name.startswith("_")}
    assert {*INNER, *OF_HYPERPARAMETERS, *STATE} <= of_module
    found = {name for name in of_module if isinstance(getattr(L.LightningModule, name, None), property)}
    assert found == PROPERTIES | {"trainer", "hparams", "hparams_initial"}
    of_torch = {name for name in of_module if name.startswith("__")} | {*dir(torch.nn.Module())}
    assert of_module - of_torch == ALWAYS_HAS["module"] - {"forward"} | {"trainer"}
    assert {name for name in of_data if not name.startswith("__")} == ALWAYS_HAS["data"] | {"trainer"}
    assert of_module >= OF_CLASS


LOADERS = """
    def __init__(self, batch_size: int, train, validation=None):
        super().__init__()
        self.batch_size, self.train = batch_size, train
        if validation is not None:
            from functools import partial
            self.val_dataloader = partial(self._val_dataloader)
"""


def test_loaders_that_a_constructor_may_not_set_are_refused(project: Path) -> None:
    module = project / "nets" / "autoencoder.py"
    before, _, behind = module.read_text().partition("    def __init__(self, batch_size")
    text = before + LOADERS.lstrip("\n") + "\n" + behind.partition("\n\n")[2]
    module.write_text(text.replace("def val_dataloader", "def _val_dataloader"))
    assert "assigned-hook" in build(project)
    with_target(project, "    batch_size: 4\n", "    batch_size: 4\n    validation: yes\n").rename(
        project / "conf" / "autoencoder.yaml"
    )
    assert "wrote" in build(project)
