"""A few of the faults that `make faults` strikes trainings with."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.faults import FAULTS
from faults.table import README, ROWS, table
from worlds import ran

HARNESS = Path(__file__).with_name("inject_faults.py")
CASES = (
    "a control: files are written in place",
    "killed at a file operation/plain-1",
    "killed at a file operation/steps-1",
    "killed at a file operation/kept-1",
    "killed at any time/background-1",
    "killed at any time/steps-2",
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


def test_the_table_of_the_readme_has_each_fault() -> None:
    assert table() in README.read_text("utf-8"), "python tests/inject_faults.py --update"
    shown = [name for row in ROWS for name in row.faults]
    assert sorted(shown) == sorted({fault.name for fault in FAULTS if not fault.is_control})
