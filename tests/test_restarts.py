"""A run that torchrun starts again goes on from what it has saved, each of its trainings from its own."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import run

JOB = {"TORCHELASTIC_ERROR_FILE": "/tmp/torchelastic/first/attempt_0/0/error.json"}

RUNS: dict[str, tuple[str, dict[str, str]]] = {
    "whole": ("whole", {}),
    "failing": ("stopped", {**JOB, "FAILS": "yes"}),
    "again": ("stopped", JOB),
    "anew": ("stopped", {}),
}
"""Where each run stands, and what is said in its environment."""


IN_TWO_FILES = """
from lightning.pytorch.plugins import CheckpointIO


class InTwoFiles(CheckpointIO):
    def save_checkpoint(self, checkpoint, path, storage_options=None):
        torch.save(checkpoint.pop("state_dict"), path.replace(".ckpt", ".weights"))
        torch.save(checkpoint, path)

    def load_checkpoint(self, path, storage_options=None):
        return {**torch.load(path), "state_dict": torch.load(path.replace(".ckpt", ".weights"))}

    def remove_checkpoint(self, path):
        for each in (path, path.replace(".ckpt", ".weights")):
            os.remove(each)


def main()"""


def with_own_checkpoints(code: str) -> str:
    """Saved and read by a class of the program's."""
    given = "callbacks=callbacks, plugins=InTwoFiles())"
    return code.replace("\ndef main()", IN_TWO_FILES).replace("callbacks=callbacks)", given)


def without_model_checkpoints(code: str) -> str:
    """Saved by the script alone, with what another training of it saves beside it."""
    return code.replace("callbacks=callbacks)", "callbacks=callbacks[2:])")


@pytest.mark.processes
@pytest.mark.parametrize("changed", [str, with_own_checkpoints, without_model_checkpoints])
def test_a_restarted_run_ends_as_one_that_never_stopped(
    tmp_path: Path, changed: Callable[[str], str]
) -> None:
    script, source = tmp_path / "train_ddp.py", tmp_path / "restarting.py"
    source.write_text(changed(Path(__file__).with_name("restarting.py").read_text()))
    result = CliRunner().invoke(main, ["build", str(source), "-o", str(script)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    jobs = [job(tmp_path, script, name) for name in RUNS]
    run(tmp_path, jobs, 2)
    logs = {name: tmp_path / f"{name}.log" for name in RUNS}
    assert "as it was told to" in logs.pop("failing").read_text()
    for log in logs.values():
        assert not log.exists(), log.read_text()
    results = [torch.load(tmp_path / f"{name}.pt") for name in ("whole", "again", "anew")]
    for other in results[1:]:
        assert not (difference := first_difference(results[0], other, "weights")), difference
    with (tmp_path / "stopped/logs/lightning_logs/version_3/metrics.csv").open() as file:
        assert {row["epoch"] for row in csv.DictReader(file)} == {
            "2",
            "3",
        }, "the others are not trained again"


def job(folder: Path, script: Path, name: str) -> dict[str, object]:
    place, environment = RUNS[name]
    return {
        "program": str(script),
        "path": [str(script.parent)],
        "arguments": [],
        "cwd": str(folder / place),
        "weights": None,
        "environment": {**environment, "RESULT": str(folder / f"{name}.pt")},
        "log": str(folder / f"{name}.log"),
        "world": 2,
    }
