"""A run that was stopped and resumed equals one that never stopped, bit for bit."""

from __future__ import annotations

import pytest

from .cases import CASES, RESUMED
from .differences import first_difference, rows_difference
from .runs import Runs

pytestmark = pytest.mark.processes

RUNS = [
    pytest.param(name, world, id=f"{name}-{world}")
    for world in (1, 2)
    for name in RESUMED
    if world in CASES[name].worlds
]


@pytest.mark.parametrize(("case", "world"), RUNS)
def test_resumed_equals_never_stopped(case: str, world: int, runs: Runs) -> None:
    whole, parts = runs.script(CASES[case], world), runs.resumed_script(CASES[case], world)
    assert not rows_difference(whole.rows, parts.rows, ("never stopped", "resumed"))
    # everything: weights, optimizer, schedulers, position, every rank's random state, the model's own entries
    assert not first_difference(whole.checkpoint, parts.checkpoint, "checkpoint")
