"""`Trainer(**settings)`: what is known of the mapping when building, and what the script makes of the rest (1.1)."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.spec.trainer_settings import DROPPED_ARGUMENTS, SWITCHES

from strategies.command_line.trainer_settings import checked_settings, is_without_effect, missing_here

MODEL = """
import json
import sys

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from lightning.pytorch.loggers import CSVLogger


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2)))


def read():
    return json.loads(sys.argv[1])

"""
READ = "settings = read()\ntrainer = L.Trainer(**settings)\ntrainer.fit(Net())\n"


def build(folder: Path, entry: str, spec: str = "") -> tuple[str, Path]:
    """What the build says, and the script."""
    (folder / "model.py").write_text(MODEL + entry)
    (folder / "spec.yaml").write_text(f"strategy: single\ncheckpoint: false\n{spec}")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "spec.yaml")]
    said = CliRunner().invoke(main, command, catch_exceptions=False).output
    return said, folder / "train_spec.py"


def run(script: Path, monkeypatch: pytest.MonkeyPatch, settings: str) -> dict[str, Any]:
    monkeypatch.chdir(script.parent)
    monkeypatch.setattr("sys.argv", [str(script), settings])
    return runpy.run_path(str(script), run_name="__main__")


def test_settings_are_read_when_the_script_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, script = build(tmp_path, READ)
    assert "settings-at-run" in said
    assert "The script takes `accelerator`, `max_epochs` from it" in said
    assert run(script, monkeypatch, '{"max_epochs": 3, "accelerator": "gpu"}')["trainer"].max_epochs == 3
    with pytest.raises(SystemExit, match=r"not built for gradient_clip_val=1.0: .*trainer_keys: \[\.\.\.\]"):
        run(script, monkeypatch, '{"max_epochs": 3, "gradient_clip_val": 1.0}')


PUT_THERE = [
    "exec(sys.argv[1], settings)",
    "exec(sys.argv[1], {}, settings)",
    "eval(compile(sys.argv[1], 'text', 'exec'), settings)",
    "settings.__setitem__('trainer', dict(max_epochs=3))",
    "dict.__setitem__(settings, 'trainer', dict(max_epochs=3))",
    "dict.update(settings, trainer=dict(max_epochs=3))",
    "import operator; operator.setitem(settings, 'trainer', dict(max_epochs=3))",
    "import operator; operator.ior(settings, dict(trainer=dict(max_epochs=3)))",
]


@pytest.mark.parametrize("start", ["{}", "{'trainer': {}}"])
@pytest.mark.parametrize("put", PUT_THERE)
def test_what_is_put_there_in_ways_that_are_not_read_is_not_missed(
    put: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = f"settings = {start}\n{put}\ntrainer = L.Trainer(**settings['trainer'])\ntrainer.fit(Net())\n"
    _, script = build(tmp_path, entry)
    assert run(script, monkeypatch, "trainer = dict(max_epochs=3)")["trainer"].max_epochs == 3


def test_the_spec_says_which_to_expect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = build(tmp_path, READ, "trainer_keys: [max_epochs, limit_train_batches]\n")
    assert 'checked_settings(settings, "max_epochs", "limit_train_batches")' in script.read_text()
    run(script, monkeypatch, '{"max_epochs": 1, "limit_train_batches": 1}')


def test_what_the_spec_sets_may_be_anything_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = build(tmp_path, READ, "trainer: {strategy: ddp_find_unused_parameters_true, max_epochs: 2}\n")
    settings = '{"max_epochs": 1, "strategy": "ddp_spawn", "accelerator": "cpu"}'
    assert run(script, monkeypatch, settings)["trainer"].max_epochs == 2


def test_what_the_call_names_is_not_expected_of_a_mapping(tmp_path: Path) -> None:
    said, script = build(tmp_path, READ.replace("**settings", "max_epochs=2, **settings"))
    assert "The script takes `accelerator` from it" in said
    assert "max_epochs: int = 2" in script.read_text() or "max_epochs=2" in script.read_text()


OPTIONS = """
import argparse
from dataclasses import dataclass


@dataclass
class Settings:
    max_epochs: int = 2
    limit_train_batches: float = 1.0


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-epochs", type=int, default=2)
    parser.add_argument("--log_every_n_steps", type=int, default=7)
    parser.add_argument("--default_root_dir", default="here")
    return parser.parse_args()


"""
MAPPINGS = {
    "options": "vars(options())",
    "a namespace of them": "vars(argparse.Namespace(**vars(options())))",
    "made of them": "{name: value for name, value in vars(options()).items()}",
    "a dataclass": "vars(Settings())",
    "a dataclass of options": "vars(Settings(options().max_epochs))",
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_attributes_as_settings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of the command line that are called as settings are expected in mappings that cannot be read."""
    _, script = build(
        tmp_path, f"{OPTIONS}given = {MAPPINGS[name]}\ntrainer = L.Trainer(**given)\ntrainer.fit(Net())\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script), "--max-epochs", "1"])
    trained = runpy.run_path(str(script), run_name="__main__")["trainer"]
    assert trained.max_epochs == (2 if name == "a dataclass" else 1)


def test_the_spec_wins_over_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = build(tmp_path, READ, "trainer: {max_epochs: 2}\n")
    assert run(script, monkeypatch, '{"max_epochs": 3}')["trainer"].max_epochs == 2


def test_the_spec_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = build(tmp_path, "L.Trainer(**{'max_epochs': 7}).fit(Net())\n", "trainer: {max_epochs: 2}\n")
    assert "settings_in" not in script.read_text()
    assert "max_epochs: int = 2" in script.read_text()


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("callbacks", "`callbacks`: write it into the code's `Trainer(...)`, or into `trainer`"),
        ("devices", "`devices`: leave it out, torchrun decides that"),
        (
            "auto_scale_batch_size",
            "`auto_scale_batch_size`: Lightning 2 has no `auto_scale_batch_size` any more.",
        ),
        ("max_epoch", "`max_epoch`: Lightning's Trainer has no such argument"),
        (
            "max_epochs, num_nodes, plugins",
            "`num_nodes`: leave it out, torchrun decides that; nor `plugins`: write",
        ),
    ],
)
def test_keys_that_cannot_be_expected(names: str, why: str, tmp_path: Path) -> None:
    """All of them are told at once."""
    said, _ = build(tmp_path, READ, f"trainer_keys: [{names}]\n")
    assert f"must not have {why}" in " ".join(said.split())


@pytest.mark.parametrize(
    "copy", ["dict(config.get('trainer', {}))", "config['trainer'].copy()", "dict(config['trainer'])"]
)
def test_a_copy_may_be_made_anew(copy: str, tmp_path: Path) -> None:
    main = (
        "config = {'trainer': {'callbacks': [EarlyStopping('x')], 'max_epochs': 1}}\n"
        f"L.Trainer(**{copy}).fit(Net())\n"
    )
    said, script = build(tmp_path, main)
    assert "error" not in said
    assert copy.replace("'", '"') in script.read_text()


ANEW = {
    "a list": "'callbacks': [EarlyStopping('x', strict=False)]",
    "a folder": "'default_root_dir': 'runs/own', 'callbacks': []",
    "two objects": "'logger': CSVLogger('logs'), 'callbacks': [EarlyStopping('x', strict=False)]",
}


@pytest.mark.parametrize("name", ANEW)
def test_what_is_made_anew_is_made_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = f"def make():\n    print('made')\n    return {{'max_epochs': 1, {ANEW[name]}}}\n"
    main = f"{made}trainer_settings = 4\nL.Trainer(**make()).fit(Net())\nassert trainer_settings == 4\n"
    said, script = build(tmp_path, main)
    assert "error" not in said
    assert "trainer_settings_ := make()" in script.read_text()
    run(script, monkeypatch, "")
    assert capfd.readouterr().out.count("made") == 1


def test_a_property_is_asked_once(tmp_path: Path) -> None:
    main = (
        "class Experiment:\n    @property\n    def settings(self):\n"
        "        return {'callbacks': [EarlyStopping('x', strict=False)], 'max_epochs': 1}\n"
        "    def run(self):\n        L.Trainer(**self.settings).fit(Net())\nExperiment().run()\n"
    )
    said, script = build(tmp_path, main)
    assert "error" not in said
    assert "settings_in(trainer_settings := self.settings," in script.read_text()


def test_settings_are_made_in_their_order(tmp_path: Path) -> None:
    main = (
        "def some():\n    return {'max_epochs': len(sys.argv)}\n"
        "L.Trainer(gradient_clip_val=float(len(sys.argv)), **some()).fit(Net())\n"
    )
    _, script = build(tmp_path, main)
    text = script.read_text()
    assert text.index("gradient_clip_val=float(len(sys.argv))") < text.index("**settings_in(some(),")


REFUSED = {
    "without names": ("L.Trainer(*read()).fit(Net())\n", "trainer-argument-by-place"),
    "not supported": ("L.Trainer(**{'model_registry': 'x'}).fit(Net())\n", "entry-trainer-argument"),
    "decides the script": (
        "settings = {}\nif read():\n    settings['plugins'] = HalfPrecision('bf16-true')\n"
        "L.Trainer(**settings).fit(Net())\n",
        "trainer-argument-not-literal",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    entry, code = REFUSED[name]
    said, script = build(tmp_path, entry)
    assert f"error[{code}]" in said
    assert not script.exists()


ADDED = """
settings = dict(max_epochs=1, {first})
if read():
    settings["{later}"] = 2
L.Trainer(**settings).fit(Net())
"""


def test_what_is_surely_there_is_compiled_in(tmp_path: Path) -> None:
    _, script = build(tmp_path, ADDED.format(first="accumulate_grad_batches=1", later="max_epochs"))
    assert script.read_text().count("accumulate_grad_batches") == 1


def test_what_may_be_added_is_known_when_the_script_runs(tmp_path: Path) -> None:
    _, script = build(tmp_path, ADDED.format(first="min_epochs=1", later="accumulate_grad_batches"))
    assert re.search(r'settings_in\(\s*settings, .*"accumulate_grad_batches"', script.read_text())


def test_what_has_no_effect() -> None:
    """Lightning's own defaults, and what a build drops."""
    from lightning.pytorch import Trainer

    parameters = list(inspect.signature(Trainer.__init__).parameters.values())[1:]
    assert all(is_without_effect(each.name, each.default) for each in parameters)
    dropped = (DROPPED_ARGUMENTS.keys() | SWITCHES.keys()) - {"strategy", "logger"}
    taken = {each.name for each in parameters if is_without_effect(each.name, object())}
    assert taken == dropped | {"enable_progress_bar"}


@pytest.mark.parametrize("limit", [0.5, 1, 0, 2])
def test_one_batch_is_not_all_of_them(limit: float) -> None:
    with pytest.raises(SystemExit):
        checked_settings({"limit_train_batches": limit})
    with pytest.raises(SystemExit):
        checked_settings({"check_val_every_n_epoch": None})
    assert checked_settings({"limit_train_batches": 1.0}) == {}


def test_what_is_missing_ends_the_run_where_it_is_called() -> None:
    table = {"neptune": missing_here("NeptuneLogger")}  # of which others may be taken
    with pytest.raises(SystemExit, match="has no NeptuneLogger"):
        table["neptune"](project="nets")
