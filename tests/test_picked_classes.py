"""Several classes of which what a main is told picks one: its command line, its configuration, or a default."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
import torch
from ddpgen.compile import compile_script
from ddpgen.diagnostics import Diagnostic
from ddpgen.spec.load import load_spec

HEAD = """
import argparse
import os
import sys

import hydra
import lightning as L
import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, width=1):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class First(Net):
    pass


class Second(Net):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(torch.ones(8, 4), batch_size=2)


class Moving(Data):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


def fit(model):
    L.Trainer(max_epochs=1, logger=False).fit(model, datamodule=Data())


def parse(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="first")
    parser.add_argument("--second", action="store_true")
    parser.add_argument("--width", type=int, default=1)
    parser.add_argument("--config", default="none.yaml")
    return parser.parse_args(argv)


"""

RUNNER = """
class Runner:
    def __init__(self, args):
        self.kind = args.model
        self.model = {made}

    def run(self):
        fit(self.model)


Runner(args).run()
"""

CASES = {
    "a branch": ("--model second", 'fit(Second() if args.model == "second" else First())'),
    "a beginning of an option's name": (
        "--mod second",
        'fit(Second() if args.model == "second" else First())',
    ),
    "a number": ("--width 2", "fit(Second() if args.width > 1 else First())"),
    "a switch": ("--second", "model = First()\nif args.second:\n    model = Second()\nfit(model)"),
    "a switch not given": ("--width 2", "model = Second()\nif args.second:\n    model = First()\nfit(model)"),
    "a switch beside others": (
        "--width 2",
        "fit(First() if args.second and torch.cuda.is_available() else Second())",
    ),
    "variables": ("--second", "one, two = First(), Second()\na = one\nb = two\nfit(b if args.second else a)"),
    "a table": ("--model second", 'fit({"first": First, "second": Second}[args.model](width=args.width))'),
    "a table of objects": ("--model second", 'fit({"first": First(), "second": Second()}[args.model])'),
    "a table with a default": ("--model third", 'fit({"first": First}.get(args.model, Second)())'),
    "a table of lambdas": (
        "--model second",
        'fit({"first": lambda: First(), "second": lambda: Second()}[args.model]())',
    ),
    "an attribute": (
        "--model second",
        RUNNER.format(made='Second() if self.kind == "second" else First()'),
    ),
    "an attribute from a table": (
        "--model second",
        RUNNER.format(made='{"first": First, "second": Second}[self.kind]()'),
    ),
    "functions with names that are bound again": (
        "--model auto",
        """
def make(name, width):
    if name == "auto":
        name = "second"
    if name == "first":
        return First(width)
    if name == "second":
        model = Second(width)
        return model
    raise ValueError(name)


def train(options):
    model = make(width=options["width"], name=options["model"])
    fit(model)


train(vars(args))
""",
    ),
    "a function that gives a class": (
        "--model SECOND",
        """
def kind(name):
    if name.lower() not in ("second", "2"):
        return First
    return Second


cls = kind(args.model)
fit(cls())
""",
    ),
    "a match": (
        "--model second",
        """
match args.model:
    case "first" | "1":
        model = First()
    case "second":
        model = Second()
    case _:
        raise ValueError
fit(model)
""",
    ),
    "a branch that leaves": (
        "--second",
        """
def make():
    if not args.second:
        return First()
    return Second()


fit(make())
""",
    ),
    "a place": ("second", 'fit(Second() if sys.argv[1] == "second" else First())'),
    "a file": (
        "--config second.yaml",
        """
with open(args.config) as file:
    config = yaml.safe_load(file)
settings = config["model"]
fit(Second() if settings.get("name", "first") == "second" else First())
""",
    ),
}


LOADING = """
def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def make(config):
    settings = config["model"]
    parts = settings.get("parts", {}) if isinstance(settings, dict) else {}
    averaged = parts.get("averaged", {}) if isinstance(parts, dict) else {}
    if int(settings["stage"]) == 1 or (isinstance(averaged, dict) and bool(averaged.get("enabled", False))):
        return First()
    other = parts.get("other", {})
    return Second() if other.get("enabled") and not isinstance(other, (list, str)) else First()


config = load(args.config)
if args.width is not None:
    config["model"]["stage"] = args.width
fit(make(config))
"""


def test_a_file_that_a_function_loads_picks_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "staged.yaml").write_text("model: {stage: 2, parts: {other: {enabled: true}}}\n")
    monkeypatch.setattr(sys.modules[__name__], "HEAD", HEAD.replace("import hydra\n", ""))
    said = built(tmp_path, f"args = parse()\n{LOADING}", "--config", "staged.yaml", "--width", "2")
    assert "the code picks `Second` here: `--width 2` is given" in said.message
    assert "the configuration has no `averaged`" in said.message


def built(folder: Path, code: str, *arguments: str, strategy: str = "ddp") -> Diagnostic:
    """What the build says of the classes."""
    (folder / "main.py").write_text(f"{HEAD}{code}\n")
    (folder / "second.yaml").write_text("model: {name: second}\n")
    found = compile_script(folder / "main.py", load_spec(strategy), overrides=arguments)
    (folder / "train.py").write_text(found.text)
    (said,) = (each for each in found.notes if each.code.endswith("of-several-classes"))
    return said


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_picks_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    told, code = CASES[case]
    monkeypatch.chdir(tmp_path)
    said = built(tmp_path, f"args = parse()\n{code}" if told.startswith("-") else code, *told.split())
    assert (said.code, said.severity) == ("picked-of-several-classes", "note")
    assert "the code picks `Second` here: `" in said.message
    assert "This script is for `Second`, and stops where it is given another" in said.message
    assert 'require_class(model, "Second")' in (tmp_path / "train.py").read_text()


REGISTRY = """
class Registry:
    kinds = {}

    @classmethod
    def register(cls, name):
        def put(model):
            cls.kinds[name] = model
            return model

        return put

    @classmethod
    def get(cls, name):
        if name not in cls.kinds:
            raise ValueError(name)
        return cls.kinds[name]


@Registry.register("one")
class One(First):
    pass


@Registry.register("two")
class Two(Second):
    pass


fit(Registry.get(args.model)())
"""


def test_of_a_table_that_decorators_fill_one_is_picked(tmp_path: Path) -> None:
    said = built(tmp_path, f"args = parse()\n{REGISTRY}", "--model", "two")
    assert "the code picks `Two` here: `--model two` is given" in said.message


def test_a_default_picks_where_nothing_is_told(tmp_path: Path) -> None:
    said = built(tmp_path, 'fit({"first": Second, "second": First}[parse().model]())')
    assert said.severity == "warning"
    assert "the code picks `Second` here: `--model` is `first` by default" in said.message
    assert f"`ddpgen build {tmp_path}/main.py --model First -o train_first.py`" in said.message


@pytest.mark.parametrize(
    "code",
    [
        "fit(Second() if torch.cuda.is_available() else First())",
        'fit(Second() if os.environ["MODEL"] == "second" else First())',
        'args.model = input()\nfit(Second() if args.model == "second" else First())',
        'setattr(args, input(), "first")\nfit(Second() if args.model == "second" else First())',
        'fit(Second() if parse(["--model", "second"]).model == "second" else First())',
        """
from jsonargparse import ArgumentParser

parser = ArgumentParser()
parser.add_argument("--kind", default="second")
fit(Second() if parser.parse_args().kind == "second" else First())
""",
    ],
)
def test_what_only_a_run_knows_picks_none(tmp_path: Path, code: str) -> None:
    said = built(tmp_path, f"args = parse()\n{code}", "--model", "second")
    assert said.code == "one-of-several-classes"


def test_a_class_that_is_named_is_the_one(tmp_path: Path) -> None:
    code = f"{HEAD}fit(Second() if parse().second else First())\n"
    (tmp_path / "main.py").write_text(code)
    found = compile_script(tmp_path / "main.py", load_spec("ddp"), "First", overrides=("--second",))
    assert 'require_class(model, "First")' in found.text


def test_the_script_trains_what_it_was_built_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path, CASES["a branch"][1].replace("args", "parse()"), "--model", "second", strategy="single")
    run(tmp_path, monkeypatch, "--model", "second")
    with pytest.raises(SystemExit, match="this script is for Second, not for First"):
        run(tmp_path, monkeypatch, "--model", "first")


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    runpy.run_path("train.py", run_name="__main__")


# ---- configurations, and fits in branches ----------------------------------------------------------------

CONFIGURED = """
def choose(settings):
    name = settings.name
    if "b" == name:
        return Moving()
    return Data()


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    data_config = cfg.data
    L.Trainer(max_epochs=1, logger=False).fit(Net(), datamodule=choose(data_config))


if __name__ == "__main__":
    main()
"""

ALTERNATIVES = """
def main(args):
    if {}:
        for _ in range(2):
            L.Trainer(max_epochs=1, logger=False).fit(Net(), datamodule=Data())
    else:
        L.Trainer(max_epochs=1, logger=False).fit(Net(), datamodule=Moving())


main(parse())
"""


def test_a_configuration_picks_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = tmp_path / "conf" / "data"
    conf.mkdir(parents=True)
    (conf.parent / "train.yaml").write_text("defaults: [_self_, {data: a}]\n")
    for name in "ab":
        (conf / f"{name}.yaml").write_text(f"name: {name}\n")
    assert "picks `Data` here" in built(tmp_path, CONFIGURED).message
    said = built(tmp_path, CONFIGURED, "data=b", strategy="single")
    assert "the code picks `Moving` here: `cfg.data.name` is `b` in the configuration" in said.message
    run(tmp_path, monkeypatch, "data=b")


def test_a_branch_that_is_taken_has_the_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = ALTERNATIVES.format("args.second")
    said = built(tmp_path, code, "--width", "2", strategy="single")
    assert "the code picks `Moving` here: `--second` is not given" in said.message
    run(tmp_path, monkeypatch, "--width", "2")
    assert "the code picks `Data` here: `--second` is given" in built(tmp_path, code, "--second").message


def test_alternatives_are_not_one_after_the_other(tmp_path: Path) -> None:
    said = built(tmp_path, ALTERNATIVES.format("torch.cuda.is_available()"))
    assert said.code == "one-of-several-classes"
    assert "This one is for `Data`" in said.message
