"""A few of the faults that `make faults` strikes trainings with."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import ran

HARNESS = Path(__file__).with_name("inject_faults.py")


@pytest.mark.processes
def test_what_is_struck_goes_on(tmp_path: Path) -> None:
    code, said = ran(HARNESS, "--seed", "1", "--few", "1", "--jobs", "2", folder=tmp_path)
    assert code == 0, said
