"""A few of the faults that `make faults` strikes trainings with."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import ran

HARNESS = Path(__file__).with_name("inject_faults.py")
CASES = (
    "a control: files are written in place",
    "killed at a file operation/plain-1",
    "killed at a file operation/steps-1",
    "killed at any time/background-1",
    "killed at any time/shares-2",
    "told by SIGTERM/leaving-1",
    "the disk is full/plain-1",
    "torchrun starts it again: killed",
    "a bit is flipped",
    "a file is cut short/plain-1",
)
"""What is cheap; the rest is left to `make faults`."""


@pytest.mark.processes
def test_what_is_struck_goes_on(tmp_path: Path) -> None:
    cases = [f"--case={case}" for case in CASES]
    code, said = ran(HARNESS, "--seed", "1", "--few", "1", "--jobs", "1", *cases, folder=tmp_path)
    assert code == 0, said
