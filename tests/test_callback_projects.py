"""Mains with callbacks and loggers: the files are those of Lightning, with one process and with two."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main

PROJECTS = Path(__file__).with_name("callback_projects")
NAMES = sorted(folder.name for folder in PROJECTS.iterdir() if folder.is_dir())


def build(folder: Path) -> None:
    spec = folder / "ddp.yaml"
    spec.write_text("strategy: ddp\nlogger: []\ntrainer: {enable_progress_bar: false}\n")
    command = ["build", str(folder / "main.py"), "--strategy", str(spec), "-o", str(folder / "train.py")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def run(command: list[str], folder: Path, program: Path, ranks: int) -> None:
    folder.mkdir()
    paths = [str(program.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    own = {"PYTHONPATH": os.pathsep.join(paths), "DEVICES": str(ranks), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [*command, str(program)],
        cwd=folder,
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]


@pytest.mark.processes
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_files_are_those_of_lightning(name: str, ranks: int, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECTS / name, project)
    build(project)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    run([sys.executable], tmp_path / "lightning", project / "main.py", ranks)
    run(torchrun, tmp_path / "script", project / "train.py", ranks)
    expected, found = contents(tmp_path / "lightning"), contents(tmp_path / "script")
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
