"""Branches that would stop the build, and that the configuration rules out: the script stops there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_configurations import build, ddpgen, project, run

__all__ = ["project"]

TESTS = [
    '"_target_" in cfg.data',
    'isinstance(cfg.data, DictConfig) and "_target_" in cfg.data',
    'hasattr(cfg.data, "_target_")',
    'cfg.data.get("_target_") is not None',
    'OmegaConf.is_config(cfg.data) and not hasattr(cfg.data, "name")',
    'kind != "points"',
    'not isinstance(cfg.data, DictConfig) or kind is None or kind == "sets"',
    'os.environ.get("TARGETS") and "_target_" in cfg.data',
]

MAIN = """
import os

import hydra
import lightning as L
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from regressor import Points, Regressor


@hydra.main(version_base="1.3", config_path="conf", config_name="plain")
def main(cfg):
    kind = cfg.data.get("name")
    if {}:
        data = instantiate(cfg.data)
    elif hasattr(cfg.data, "name"):
        data = Points(cfg.data.batch_size)
    model = Regressor(torch.nn.Linear(4, 1), lambda params: torch.optim.SGD(params, lr=0.1))
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False)
    trainer.fit(model, datamodule=data)


if __name__ == "__main__":
    main()
"""

PLAIN = "seed: 1\ndata: {name: points, batch_size: 4}\nhydra: {run: {dir: out}, output_subdir: null}\n"

TARGET = ("+data._target_=regressor.Points", "~data.name")


def branching(project: Path, test: str) -> Path:
    """An entry that makes data by its target, or by its name."""
    (project / "conf" / "plain.yaml").write_text(PLAIN)
    entry = project / "main.py"
    entry.write_text(MAIN.replace("{}", test))
    return entry


def changed(entry: Path, *changes: tuple[str, str]) -> Path:
    code = entry.read_text()
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    entry.write_text(code)
    return entry


def said_of(entry: Path, *overrides: str) -> str:
    return ddpgen("build", str(entry), "--strategy", str(entry.with_name("single.yaml")), "--", *overrides)


@pytest.mark.parametrize("test", TESTS)
def test_instantiate_where_there_is_no_target(
    test: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = said_of(branching(project, test))
    assert "note[branch-ruled-out]: What is done with `" in said
    assert "` would stop the build (`instantiated`), and the configuration that is known" in said
    monkeypatch.setenv("TARGETS", "1")
    run(project, monkeypatch)
    with pytest.raises(SystemExit, match=r"not built for a configuration with `.*build it again"):
        run(project, monkeypatch, *TARGET)


def test_the_same_with_what_asks_for_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    branching(project, TESTS[0])
    assert "not built for a configuration" not in build(project, *TARGET)
    run(project, monkeypatch, *TARGET)
    run(project, monkeypatch)


@pytest.mark.parametrize(
    "test",
    [
        'os.environ.get("TARGETS")',
        'os.environ.get("TARGETS") != "none"',
        'os.environ.get("TARGETS") or "_target_" in cfg.data',
        "hasattr(cfg.data, 'keys')",
    ],
)
def test_what_is_not_known_stops_the_build(test: str, project: Path) -> None:
    said = said_of(branching(project, test))
    assert "error[instantiated]: This makes an object of what the configuration names" in said


FIT = "    trainer.fit(model, datamodule=data)\n"

FITS = """    task = cfg.seed
    if task == 1:
        trainer.fit(model, datamodule=data)
    elif task == 2:
        trainer.fit(model, data.train_dataloader(), data.val_dataloader())
    else:
        trainer.fit(model)
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_fits_that_differ(seed: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those behind an `elif` of one that holds."""
    fits = FITS if seed == "1" else FITS.replace("data.train_dataloader(), data.val_dataloader()", "data")
    said = said_of(changed(branching(project, "False"), (FIT, fits)), f"seed={seed}")
    assert "would stop the build (`fit-shapes-differ`)" in said
    run(project, monkeypatch, f"seed={seed}")
    with pytest.raises(SystemExit, match="not built for a configuration without `task == "):
        run(project, monkeypatch, "seed=3")


@pytest.mark.parametrize(
    "change",
    [
        "cfg.seed = 2",
        'cfg["seed"] = 2',
        'setattr(cfg, "seed", 2)',
        "cfg.update(seed=2)",
        'OmegaConf.update(cfg, "seed", 2)',
        "cfg = OmegaConf.create({**cfg})",
        "change(cfg)",
    ],
)
def test_a_configuration_that_code_changes_before_rules_nothing_out(change: str, project: Path) -> None:
    changing = "def change(cfg):\n    cfg.seed = 2\n\n\n@hydra.main"
    changes = ("@hydra.main", changing), ("    kind =", f"    {change}\n    kind ="), (FIT, FITS)
    said = said_of(changed(branching(project, "False"), *changes))
    assert "branch-ruled-out" not in said
    assert "error[fit-shapes-differ]" in said


LOADED = """
import json

import lightning as L
import torch
import yaml
from omegaconf import DictConfig, OmegaConf
from regressor import Points, Regressor


def train(cfg):
    model = Regressor(torch.nn.Linear(4, 1), lambda params: torch.optim.SGD(params, lr=0.1))
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False)
    if {}:
        trainer.fit(model, datamodule=Points(cfg["batch_size"]))
    else:
        trainer.fit(model)


if __name__ == "__main__":
    with open("settings.yaml") as file:
        cfg = {}
    train(cfg)
"""


@pytest.mark.parametrize(
    ("load", "test"),
    [
        ("yaml.safe_load(file)", 'isinstance(cfg, dict) and cfg["name"] == "points"'),
        ("json.load(file)", 'not isinstance(cfg, DictConfig) and cfg["name"] == "points"'),
        ("OmegaConf.load(file)", 'not isinstance(cfg, dict) and cfg.name == "points"'),
    ],
)
def test_files_that_code_loads(load: str, test: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, settings = project / "main.py", project / "settings.yaml"
    settings.write_text('{"name": "points", "batch_size": 4}')
    entry.write_text(LOADED.format(test, load))
    said = said_of(entry)
    assert f"What is done without `{test.replace(chr(34), chr(39))[:30]}" in said
    run(project, monkeypatch)
    settings.write_text('{"name": "sets", "batch_size": 4}')
    with pytest.raises(SystemExit, match=re.escape("not built for a configuration without `")):
        run(project, monkeypatch)
