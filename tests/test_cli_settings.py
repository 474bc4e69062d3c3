"""What LightningCLI is told is what its own parser makes of the same files and command line."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ddpgen import CompileError
from ddpgen.compile import compile_script
from ddpgen.link.cli.parser import SETTINGS
from ddpgen.link.cli.read import ReadCli
from ddpgen.link.cli.settings import read_cli
from ddpgen.link.modules.found_roots import with_found_roots
from ddpgen.link.spec.class_paths import ClassPaths
from ddpgen.source.source import Source
from ddpgen.spec.load import load_spec

PARTS = """
import torch
from lightning.pytorch.loggers import CSVLogger


class Tip(torch.nn.Module):
    def __init__(self, depth: int = 1, below: "Tip" = None):
        super().__init__()


class Deep(Tip):
    def __init__(self, depth: int = 3, other: int = 2):
        super().__init__()


class Bare(Tip):
    def __init__(self, below: str = ""):
        super().__init__()


class OwnLogger(CSVLogger):
    pass
"""
MODELS = """
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

import lightning as L
import torch
from lightning.pytorch.cli import OptimizerCallable
from told_parts import Tip


@dataclass
class Sizes:
    first: int = 1
    second: int = 2


class ToldPlain(L.LightningModule):
    def __init__(
        self,
        width: int = 2,
        tip: Optional[Tip] = None,
        tips: Optional[List[Tip]] = None,
        by_name: Optional[Dict[str, Tip]] = None,
        options: Optional[Dict[str, Any]] = None,
        anything: Any = None,
        text: str = "",
        text_or_tip: Union[str, Tip] = "",
        sizes: Sizes = Sizes(),
        optimizer: OptimizerCallable = torch.optim.Adam,
        only_plain: int = 0,
    ):
        super().__init__()

    def training_step(self, batch, batch_idx):
        pass


class ToldOther(L.LightningModule):
    def __init__(self, width: int = 5, tip: Optional[Tip] = None, only_other: int = 0):
        super().__init__()

    def training_step(self, batch, batch_idx):
        pass
"""
MAIN = """
import lightning as L
from lightning.pytorch.cli import LightningCLI
from told_models import ToldOther, ToldPlain


class Cli(LightningCLI):
    def instantiate_classes(self):
        pass


def parsed(args=None):
    return Cli({model}, save_config_callback=None, run=False, args=args)


if __name__ == "__main__":
    parsed()
"""
OWN_OPTIONS = """
from typing import Optional


class OwnCli(Cli):
    def add_arguments_to_parser(self, parser):
        parser.add_argument("--save-path", type=str, default=None)
        parser.add_argument("--run-test", action="store_true")
        parser.add_argument("--not-now", action="store_false")
        parser.add_argument("--on-or-none", action="store_true", default=None)
        parser.add_argument("--fixed", action="store_const", const=5)
        parser.add_argument("--names", nargs="*", type=str, default=["x"])
        parser.add_argument("--sizes", nargs="+", type=int)
        parser.add_argument("--two", nargs=2, type=float)
        parser.add_argument("--maybe", nargs="?", const="c", default="d")
        parser.add_argument("--kind", choices=["a", "b"], default="a")
        parser.add_argument("--count", type=int, default=1)
        parser.add_argument("--share", type=float, default=0.5)
        parser.add_argument("--text-or-none", type=Optional[str], default="t")
        parser.add_argument("--open")
        parser.add_argument("-s", "--short-one", "--longer-than-it", type=str)
        parser.add_argument("--with-dest", dest="elsewhere", type=str)
        parser.add_argument("--own.in-ner", type=int, default=3)
        parser.add_argument("--made", type=lambda text: text + "!")
        parser.add_argument("--more", action="append")


def parsed(args=None):
    return OwnCli(ToldPlain, save_config_callback=None, run=False, args=args)


if __name__ == "__main__":
    parsed()
"""
MAINS = {"told_plain": "ToldPlain", "told_any": "L.LightningModule, subclass_mode_model=True"}
FILES = {
    "tip.yaml": "{class_path: Tip, init_args: {depth: 9}}",
    "callbacks.yaml": "[{class_path: ModelCheckpoint, init_args: {monitor: a}}, LearningRateMonitor]",
    "trainer.yaml": "{max_epochs: 5, callbacks: callbacks.yaml}",
    "model.yaml": "{width: 4, tip: tip.yaml}",
    "any.yaml": "{class_path: ToldPlain, init_args: {width: 4, tip: tip.yaml}}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told")
    (folder / "told_parts.py").write_text(PARTS)
    (folder / "told_models.py").write_text(MODELS)
    for name, model in MAINS.items():
        (folder / f"{name}.py").write_text(MAIN.format(model=model))
    of_another, _, _ = MAIN.partition("\n\ndef parsed")
    (folder / "told_own.py").write_text(of_another + OWN_OPTIONS)
    (folder / "sub").mkdir()
    for name, text in FILES.items():
        (folder / "sub" / name).write_text(text)
    return folder


def told(folder: Path, name: str, argv: tuple[str, ...]) -> ReadCli:
    graph, _ = with_found_roots(Source.read(folder / f"{name}.py"), folder / f"{name}.py", ())
    read = read_cli(ClassPaths(graph), load_spec("ddp"), None, argv)
    assert read is not None
    return read


def theirs(name: str, args: Any) -> dict[str, Any]:
    """All that LightningCLI's parser has, but not from which files it is."""
    os.environ.pop("PL_GLOBAL_SEED", None)  # which another run may have left
    config = importlib.import_module(name).parsed(args).config.as_dict()
    return {key: _plain(value) for key, value in config.items() if key != "config"}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "__path__"}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def as_arguments(config: dict[str, Any], name: str) -> dict[str, Any]:
    """What has been told, as LightningCLI can be told."""
    kept = {key: value for key, value in config.items() if key in SETTINGS}
    if name == "told_plain" and "model" in kept:
        kept["model"] = kept["model"].get("init_args", {})
    return kept


def with_files(folder: Path, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Arguments, settings as files of these in the folder `sub`."""
    found = list(argv)
    for place, text in enumerate(argv):
        if argv[place - 1] == "-c":
            found[place] = f"sub/{place}.yaml"
            (folder / found[place]).write_text(text)
    return tuple(found)


TIP = "{class_path: Tip, init_args: {depth: 4}}"
STOP = "{class_path: EarlyStopping, init_args: {monitor: a, patience: 7}}"
PLAIN: dict[str, tuple[str, ...]] = {
    "a class by its name": ("--model.tip", "Tip", "--model.tip.depth", "3"),
    "a class in a class": ("--model.tip=Tip", "--model.tip.below=Deep", "--model.tip.below.other=4"),
    "a key below a file's object": ("-c", f"{{model: {{tip: {TIP}}}}}", "--model.tip.below", "Tip"),
    "another class": ("-c", f"{{model: {{tip: {TIP}}}}}", "--model.tip", "Deep"),
    "another class, key by key": ("--model.tip", "Tip", "--model.tip.depth=3", "--model.tip=Deep"),
    "an object anew": ("-c", f"{{model: {{tip: {TIP}}}}}", "--model.tip", "{class_path: Tip}"),
    "keys written out": ("--model.tip.class_path=Tip", "--model.tip.init_args.depth=3"),
    "an optimizer for an argument": ("--model.optimizer", "SGD", "--model.optimizer.lr", "0.5"),
    "the default's optimizer": ("--model.optimizer.lr", "0.5"),
    "objects in a list": (
        "--model.tips+=Tip",
        "--model.tips.depth=4",
        "--model.tips+=Deep",
        "--model.tips.other=1",
    ),
    "a key of a mapping": ("--model.options.a", "1", "--model.options.b", "x"),
    "a key of a file's mapping": ("-c", "{model: {options: {a: 1, b: 2}}}", "--model.options.b", "3"),
    "a mapping anew": (
        "-c",
        "{model: {options: {a: 1}, anything: {a: 1}}}",
        "-c",
        "{model: {options: {b: 2}, anything: {b: 1}}}",
    ),
    "objects by name": (
        "-c",
        f"{{model: {{by_name: {{a: {TIP}}}}}}}",
        "-c",
        "{model: {by_name: {a: {class_path: Tip}}}}",
    ),
    "a dataclass's fields": (
        "-c",
        "{model: {sizes: {first: 3}}}",
        "-c",
        "{model: {sizes: {second: 4}}}",
        "--model.sizes.first=7",
    ),
    "a list of as many": (
        "-c",
        f"{{model: {{tips: [{TIP}]}}}}",
        "-c",
        "{model: {tips: [{class_path: Deep}]}}",
    ),
    "a list of others": (
        "-c",
        f"{{model: {{tips: [{TIP}]}}}}",
        "-c",
        "{model: {tips: [{class_path: Tip}, {class_path: Tip}]}}",
    ),
    "a logger": (
        "--trainer.logger",
        "CSVLogger",
        "--trainer.logger.name",
        "x",
        "--trainer.logger.save_dir",
        "d",
    ),
    "a logger of the project's": ("--trainer.logger=OwnLogger", "--trainer.logger.save_dir=d"),
    "another logger": (
        "--trainer.logger=CSVLogger",
        "--trainer.logger.save_dir=d",
        "--trainer.logger=TensorBoardLogger",
    ),
    "callbacks": (
        "--trainer.callbacks+=ModelCheckpoint",
        "--trainer.callbacks.monitor=a",
        "--trainer.callbacks+=LearningRateMonitor",
    ),
    "a callback alone": ("--trainer.callbacks", "EarlyStopping", "--trainer.callbacks.monitor", "a"),
    "a callback alone in a file": ("-c", "{trainer: {callbacks: LearningRateMonitor}}"),
    "a callback anew": (
        "-c",
        f"{{trainer: {{callbacks: [{STOP}]}}}}",
        "-c",
        "{trainer: {callbacks: [{class_path: EarlyStopping, init_args: {monitor: b}}]}}",
    ),
    "a list for one": (
        "-c",
        f"{{trainer: {{callbacks: {STOP}}}}}",
        "-c",
        "{trainer: {callbacks: [{class_path: EarlyStopping, init_args: {monitor: b}}]}}",
    ),
    "one for a list": (
        "-c",
        f"{{trainer: {{callbacks: [{STOP}]}}}}",
        "-c",
        "{trainer: {callbacks: {class_path: EarlyStopping, init_args: {monitor: b}}}}",
    ),
    "callbacks that are added": (
        "-c",
        f"{{trainer: {{callbacks+: [{STOP}]}}}}",
        "-c",
        "{trainer: {callbacks+: LearningRateMonitor}}",
    ),
    "a file for an object": ("-c", "{model: {tip: tip.yaml, tips: [tip.yaml]}}", "--model.tip.depth=2"),
    "a file for an object on the command line": ("--model.tip", "sub/tip.yaml"),
    "a file for callbacks": ("-c", "{trainer: {callbacks: callbacks.yaml}}"),
    "a file for callbacks on the command line": ("--trainer.callbacks", "sub/callbacks.yaml"),
    "a file of more callbacks": (
        "-c",
        f"{{trainer: {{callbacks: [{STOP}]}}}}",
        "--trainer.callbacks+=sub/callbacks.yaml",
    ),
    "files for sections": ("-c", "{model: model.yaml, trainer: trainer.yaml}"),
    "files for sections on the command line": (
        "--model",
        "sub/model.yaml",
        "--trainer",
        "sub/trainer.yaml",
        "--model.width=6",
    ),
    "a file's name that is text": ("-c", "{model: {text: tip.yaml, anything: tip.yaml}}"),
    "an optimizer of another class": (
        "-c",
        "{optimizer: {class_path: Adam, init_args: {lr: 0.5, weight_decay: 0.25, betas: [0.5, 0.5]}}}",
        "--optimizer",
        "SGD",
    ),
    "a strategy": ("--trainer.strategy", "DDPStrategy", "--trainer.strategy.find_unused_parameters", "true"),
}
ANY: dict[str, tuple[str, ...]] = {
    "a file for the model": ("-c", "{model: any.yaml}", "--model.width", "6"),
    "another model": (
        "-c",
        f"{{model: {{class_path: ToldPlain, init_args: {{width: 3, only_plain: 2, tip: {TIP}}}}}}}",
        "--model",
        "ToldOther",
    ),
    "another model in a file": (
        "-c",
        "{model: {class_path: ToldPlain, init_args: {width: 3}}}",
        "-c",
        "{model: {class_path: ToldOther, init_args: {only_other: 1}}}",
    ),
    "the same model": (
        "-c",
        f"{{model: {{class_path: ToldPlain, init_args: {{tip: {TIP}}}}}}}",
        "--model",
        "ToldPlain",
        "--model.tip.below=Tip",
    ),
}
CASES = [
    *(("told_plain", name, argv) for name, argv in PLAIN.items()),
    *(("told_any", name, argv) for name, argv in ANY.items()),
]


@pytest.mark.parametrize(
    ("name", "argv"), [(name, argv) for name, _, argv in CASES], ids=[each for _, each, _ in CASES]
)
def test_settings_are_those_of_its_parser(
    name: str, argv: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr("sys.argv", ["main.py"])
    given = with_files(folder, argv)
    read = told(folder, name, given)
    assert not read.told.problems
    expected = theirs(name, list(given))
    assert theirs(name, as_arguments(dict(read.told.config), name)) == expected


OWN: dict[str, tuple[str, ...]] = {
    "no value": (),
    "flags": ("--run-test", "--not-now", "--on-or-none", "--fixed"),
    "a flag before a file": ("--run-test", "-c", "{model: {width: 4}}", "--count=2"),
    "a file that is a value": ("--save-path", "sub/tip.yaml"),
    "a value behind its name": ("--save-path=sub/tip.yaml", "--own.in-ner=4", "--count=-4"),
    "texts that look like others": ("--save-path", "5", "--open", "null", "--text-or-none", "6"),
    "none": ("--text-or-none", "null", "--share", "3"),
    "several values": ("--names", "a", "5", "--sizes", "1", "-2", "--two", "1", "2"),
    "as few as there may be": ("--names", "--maybe", "--sizes", "3"),
    "one of several": ("--names=a", "--maybe=b", "--kind", "b"),
    "other names": ("-s", "x", "--with-dest", "y"),
    "its third name": ("--longer-than-it", "x"),
    "in a file": ("-c", "{run-test: true, save_path: x, names: [b], count: 3}"),
    "the command line over a file": ("-c", "{run_test: true, names: [b, c]}", "--names", "d"),
}


@pytest.mark.parametrize("name", OWN)
def test_options_of_the_codes_own(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr("sys.argv", ["main.py"])
    given = with_files(folder, OWN[name])
    read = told(folder, "told_own", given)
    assert not read.told.problems
    expected = theirs("told_own", list(given))
    own = {key: value for key, value in read.told.config.items() if key not in SETTINGS}
    assert own == {key: value for key, value in expected.items() if key not in SETTINGS}


@pytest.mark.parametrize(
    "given",
    [
        ("--run_test",),
        ("--run-test=true",),
        ("--save_path", "x"),
        ("--save-path",),
        ("--sizes",),
        ("--two", "1"),
        ("--kind", "c"),
        ("--count", "many"),
    ],
    ids=" ".join,
)
def test_options_at_which_its_parser_stops(
    given: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(SystemExit):
        theirs("told_own", list(given))
    problems = told(folder, "told_own", given).told.problems
    assert [each.code for each in problems] == ["cli-argument-unread"]


@pytest.mark.parametrize("given", [("--made", "x"), ("--more", "x")], ids=" ".join)
def test_options_of_which_more_becomes(given: tuple[str, ...], folder: Path) -> None:
    problems = told(folder, "told_own", given).told.problems
    assert [each.code for each in problems] == ["cli-argument-unread"]


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "a key below a value that takes none": (("--model.width.a", "1"), "cli-argument-unread"),
    "a key below no mapping": (("--model.anything.a", "1"), "cli-argument-unread"),
    "an argument that another class may take": (
        ("-c", "{model: {tip: {class_path: Tip, init_args: {below: null}}}}", "--model.tip=Bare"),
        "cli-class-changed",
    ),
    "no such file": (("-c", "{model: {tip: none.yaml}}"), "cli-file-not-found"),
    "no such class": (("--model.tip=Tipp",), "wrong-type"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_settings_that_are_not_known(how: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    argv, code = REFUSED[how]
    with pytest.raises(CompileError, match=rf"error\[{code}\]"):
        compile_script(
            folder / "told_plain.py", load_spec("ddp"), overrides=with_files(folder, ("fit", *argv))
        )


NAMED = """
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class ToldLoud(L.Callback):
    def on_train_end(self, trainer, pl_module):
        print("trained")


class ToldPoints(L.LightningDataModule):
    def __init__(self, size: int = 2):
        super().__init__()
        self.size = size

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), self.size)


class ToldNamed(L.LightningModule):
    def __init__(self, activation: torch.nn.Module, losses: list[torch.nn.Module], text: str = ""):
        super().__init__()
        self.layer, self.activation, self.loss = torch.nn.Linear(4, 1), activation, losses[0]

    def training_step(self, batch, batch_idx):
        found = self.activation(self.layer(batch[0]))
        return self.loss(found, torch.ones_like(found))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
"""
OPEN_MAIN = """
import told_by_name
from lightning.pytorch.cli import LightningCLI


def parsed(args=None):
    return LightningCLI(save_config_callback=None, run=False, args=args)


if __name__ == "__main__":
    cli = parsed()
    cli.trainer.fit(cli.model, cli.datamodule)
"""
BY_NAME = """
trainer: {max_epochs: 1, logger: false, callbacks: [{class_path: ToldLoud}, {class_path: LearningRateMonitor}]}
data: {class_path: ToldPoints, init_args: {size: 4}}
model:
  class_path: ToldNamed
  init_args:
    activation: {class_path: Tanh}
    losses: [{class_path: MSELoss, init_args: {reduction: sum}}, L1Loss]
    text: ReLU
"""


def paths_in(value: Any) -> Iterator[str]:
    """The classes of what is described."""
    if isinstance(value, dict) and isinstance(value.get("class_path"), str):
        yield value["class_path"]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from paths_in(child)


def test_classes_by_their_names_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those that the parser finds among the ones that are imported, of the type that is asked for."""
    (tmp_path / "told_by_name.py").write_text(NAMED)
    (tmp_path / "told_open.py").write_text(OPEN_MAIN)
    (tmp_path / "all.yaml").write_text(BY_NAME)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.argv", ["main.py"])
    config = told(tmp_path, "told_open", ("-c", "all.yaml")).told.config
    expected = theirs("told_open", ["-c", "all.yaml"])
    for section in ("model", "data", "trainer"):
        assert [*paths_in(config[section])] == [*paths_in(expected[section])]
    script = compile_script(tmp_path / "told_open.py", load_spec("single"), overrides=("-c", "all.yaml")).text
    assert "class ToldNamed(" in script
    assert "Tanh()" in script
    assert 'MSELoss(reduction="sum"), L1Loss()' in script


@pytest.mark.parametrize("name", ["Tanhh", "Tipp"])
def test_names_of_classes_that_are_not_known(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "told_by_name.py").write_text(NAMED)
    (tmp_path / "told_open.py").write_text(OPEN_MAIN)
    (tmp_path / "all.yaml").write_text(BY_NAME.replace("Tanh", name))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompileError, match=rf"error\[class-not-found\]: There is no class `{name}`"):
        compile_script(tmp_path / "told_open.py", load_spec("single"), overrides=("-c", "all.yaml"))
