"""Mains with callbacks and loggers: the files are those of Lightning, with one process and with two."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from click.testing import CliRunner
from ddpgen.cli import main
from logger_files import by_name, logged
from worlds import run

PROJECTS = Path(__file__).with_name("callback_projects")
ALL_NAMES = sorted(folder.name for folder in PROJECTS.iterdir() if folder.is_dir())
BY_TWO = ALL_NAMES if os.environ.get("DDPGEN_ALL") else ALL_NAMES[1::2]
NAMES = {1: ALL_NAMES, 2: [name for name in BY_TWO if name != "loggers"]}
"""The projects, by the number of processes: two run half of them, and all where DDPGEN_ALL is set.

What "loggers" imports takes too long for two.
"""


def build(folder: Path) -> None:
    spec = folder / "ddp.yaml"
    if not spec.exists():
        spec.write_text("strategy: ddp\ntrainer: {enable_progress_bar: false}\n")
    command = ["build", str(folder / "main.py"), "--strategy", str(spec), "-o", str(folder / "train.py")]
    command += ["--", command_of(folder)] if (folder / "command.txt").exists() else []
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output


@dataclass(frozen=True)
class Outcome:
    """Where a program ran, and what went wrong."""

    folder: Path
    log: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives a project's folder with its script."""

    @cache
    def project(name: str) -> Path:
        folder = tmp_path_factory.mktemp("built") / name
        shutil.copytree(PROJECTS / name, folder)
        build(folder)
        return folder

    return project


@pytest.fixture(scope="module")
def outcomes(
    built: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], dict[str, Outcome]]:
    """Gives every project's outcomes under Lightning and as a script, run by so many processes."""
    return cache(lambda ranks: run_projects(ranks, built, tmp_path_factory.mktemp("callbacks")))


def run_projects(ranks: int, built: Callable[[str], Path], folder: Path) -> dict[str, Outcome]:
    found, jobs = {}, []
    for name in NAMES[ranks]:
        project = folder / name / "project"
        shutil.copytree(built(name), project)
        for program, file in (("lightning", "main.py"), ("script", "train.py")):
            is_lightnings = program == "lightning"
            outcome = Outcome(folder / name / program, folder / name / f"{program}.log")
            if (defaults := project / "defaults.yaml").exists():
                outcome.folder.mkdir()
                shutil.copy(defaults, outcome.folder)
            found[f"{name}/{program}"] = outcome
            jobs.append(
                {
                    "program": str(project / file),
                    "path": [str(project)],
                    "arguments": for_cli(project, ranks) if is_lightnings else [],
                    "cwd": str(outcome.folder),
                    "weights": None,
                    "is_lightnings": is_lightnings,
                    "environment": {"DEVICES": str(ranks)},
                    "log": str(outcome.log),
                    "world": ranks,
                }
            )
    run(folder, jobs, ranks)
    return found


def for_cli(project: Path, ranks: int) -> list[str]:
    """What LightningCLI is told, where that is what the project's main calls."""
    if "LightningCLI" not in (project / "main.py").read_text():
        return []
    places = {"accelerator": "cpu", "devices": ranks, "strategy": "ddp" if ranks > 1 else "auto"}
    told = (f"--trainer.{name}={value}" for name, value in places.items())
    return [command_of(project), "--config", str(project / "ddp.yaml"), *told]


def command_of(project: Path) -> str:
    """Of LightningCLI's the one that the project is for."""
    file = project / "command.txt"
    return file.read_text().strip() if file.exists() else "fit"


@pytest.mark.processes
@pytest.mark.parametrize(("ranks", "name"), [(ranks, name) for ranks in NAMES for name in NAMES[ranks]])
def test_files_are_those_of_lightning(
    ranks: int, name: str, outcomes: Callable[[int], dict[str, Outcome]]
) -> None:
    lightning, script = (outcomes(ranks)[f"{name}/{program}"] for program in ("lightning", "script"))
    for outcome in (lightning, script):
        assert not outcome.log.exists(), outcome.log.read_text()
    expected, found = contents(lightning.folder), contents(script.folder)
    assert sorted(found) == sorted(expected)
    for path, content in expected.items():
        if Path(path).match(SAVED_LATER.get(name, "-")):
            drop_early_stopping(content, found[path])
        assert_same(found[path], content, path)


SAVED_LATER = {"stop": "steps/*.ckpt"}
"""Files by steps: scripts write them after the validation of the same batch, of which EarlyStopping knows there."""


def drop_early_stopping(*checkpoints: dict[str, Any]) -> None:
    for each in checkpoints:
        each["callbacks"] = {
            key: state for key, state in each["callbacks"].items() if not key.startswith("EarlyStopping")
        }


def contents(folder: Path) -> dict[str, Any]:
    """By a file's path: a checkpoint's common entries, or text; and what loggers were told."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in KINDS)
    places = ((path, path.relative_to(folder)) for path in paths)
    files = {str(place): KINDS[path.suffix](path) for path, place in places if place.parts[0] not in STORES}
    return files | logged(folder)


STORES = ("ml", "wandb", "runs")
"""Folders that MLflow and Weights & Biases have for themselves, and scripts for what they resume from."""


def checkpoint(path: Path) -> dict[str, Any]:
    folder = str(next(parent for parent in path.parents if parent.name in ("lightning", "script")))
    loaded = torch.load(path, weights_only=False)
    names = ("epoch", "global_step", "state_dict", "optimizer_states", "lr_schedulers", "hyper_parameters")
    common = {name: common_part(loaded[name]) for name in names if name in loaded}
    return {**common, "callbacks": relative(common_part(loaded.get("callbacks", {})), folder)}


LEFT_OUT = ("stopping_reason_message", "_instantiator", "time_elapsed", "in_epoch")
"""What a script words anew or adds, what says that LightningCLI has made a model, what no two runs have in common."""


def common_part(value: Any) -> Any:
    """What Lightning and scripts both write."""
    if isinstance(value, dict):
        return {key: common_part(item) for key, item in value.items() if key not in LEFT_OUT}
    return value


def relative(value: Any, folder: str) -> Any:
    if isinstance(value, dict):
        return {relative(key, folder): relative(item, folder) for key, item in value.items()}
    return value.replace(folder, "") if isinstance(value, str) else value


def yaml_values(path: Path) -> Any:
    """The values by name: where omegaconf is installed, Lightning writes them in other words."""
    return common_part(by_name(yaml.safe_load(path.read_text())))


KINDS = {".ckpt": checkpoint, ".csv": Path.read_text, ".txt": Path.read_text, ".yaml": yaml_values}


def assert_same(found: Any, expected: Any, place: str) -> None:
    if isinstance(expected, dict):
        assert list(found) == list(expected), place
        for key in expected:
            assert_same(found[key], expected[key], f"{place}: {key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, place)
    elif isinstance(expected, torch.Tensor):
        assert torch.equal(found, expected), place
    else:
        assert found == expected, place
