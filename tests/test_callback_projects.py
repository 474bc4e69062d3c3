"""Mains with callbacks and loggers: the files are those of Lightning, with one process and with two."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from worlds import run

PROJECTS = Path(__file__).with_name("callback_projects")
NAMES = sorted(folder.name for folder in PROJECTS.iterdir() if folder.is_dir())


def build(folder: Path) -> None:
    spec = folder / "ddp.yaml"
    if not spec.exists():
        spec.write_text("strategy: ddp\nlogger: []\ntrainer: {enable_progress_bar: false}\n")
    command = ["build", str(folder / "main.py"), "--strategy", str(spec), "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output


@dataclass(frozen=True)
class Outcome:
    """Where a program ran, and what went wrong."""

    folder: Path
    log: Path


@pytest.fixture(scope="module", params=[1, 2])
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Every project under Lightning and as a script, run by so many processes."""
    ranks, folder = request.param, tmp_path_factory.mktemp("callbacks")
    found, jobs = {}, []
    for name in NAMES:
        project = folder / name / "project"
        shutil.copytree(PROJECTS / name, project)
        build(project)
        for program, file in (("lightning", "main.py"), ("script", "train.py")):
            outcome = Outcome(folder / name / program, folder / name / f"{program}.log")
            found[f"{name}/{program}"] = outcome
            jobs.append(
                {
                    "program": str(project / file),
                    "path": [str(project)],
                    "arguments": [],
                    "cwd": str(outcome.folder),
                    "weights": None,
                    "is_lightnings": program == "lightning",
                    "environment": {"DEVICES": str(ranks)},
                    "log": str(outcome.log),
                    "world": ranks,
                }
            )
    run(folder, jobs, ranks)
    return found


@pytest.mark.processes
@pytest.mark.parametrize("name", NAMES)
def test_files_are_those_of_lightning(name: str, outcomes: dict[str, Outcome]) -> None:
    lightning, script = outcomes[f"{name}/lightning"], outcomes[f"{name}/script"]
    for outcome in (lightning, script):
        assert not outcome.log.exists(), outcome.log.read_text()
    expected, found = contents(lightning.folder), contents(script.folder)
    assert sorted(found) == sorted(expected)
    for path, content in expected.items():
        assert_same(found[path], content, path)


def contents(folder: Path) -> dict[str, Any]:
    """By a file's path: a checkpoint's common entries, or text."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in KINDS)
    return {str(path.relative_to(folder)): KINDS[path.suffix](path) for path in paths}


def checkpoint(path: Path) -> dict[str, Any]:
    folder = str(next(parent for parent in path.parents if parent.name in ("lightning", "script")))
    loaded = torch.load(path, weights_only=False)
    names = ("epoch", "global_step", "state_dict", "optimizer_states", "lr_schedulers", "hyper_parameters")
    common = {name: loaded[name] for name in names if name in loaded}
    return {**common, "callbacks": relative(loaded.get("callbacks", {}), folder)}


WORDED_ANEW = "stopping_reason_message"


def relative(value: Any, folder: str) -> Any:
    if isinstance(value, dict):
        return {
            relative(key, folder): relative(item, folder) for key, item in value.items() if key != WORDED_ANEW
        }
    return value.replace(folder, "") if isinstance(value, str) else value


KINDS = {".ckpt": checkpoint, ".csv": Path.read_text, ".txt": Path.read_text, ".yaml": Path.read_text}


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
