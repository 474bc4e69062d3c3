"""A run that torchrun starts again goes on from what a ModelCheckpoint has saved."""

from __future__ import annotations

import csv
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


@pytest.mark.processes
def test_a_restarted_run_ends_as_one_that_never_stopped(tmp_path: Path) -> None:
    script = tmp_path / "train_ddp.py"
    source = Path(__file__).with_name("restarting.py")
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
