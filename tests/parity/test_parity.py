"""Each script trains as Lightning does, bit for bit, with one process and with two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .cases import CASES, ONE_PROCESS_ONLY
from .differences import first_difference, rows_difference
from .runs import Runs, ScriptRun

pytestmark = pytest.mark.processes

RUNS = [
    pytest.param(name, world, id=f"{name}-{world}")
    for world in (1, 2)
    for name, case in CASES.items()
    if world in case.worlds
]


@pytest.mark.parametrize(("case", "world"), RUNS)
def test_script_trains_as_lightning_does(case: str, world: int, runs: Runs) -> None:
    reference, script = runs.reference(CASES[case], world), runs.script(CASES[case], world)
    found = list(differences(reference, script))
    logs = runs.hook_logs(CASES[case], world)
    found.append(first_difference(logs["reference"], logs["scripts"], "hooks by rank"))
    assert not any(found), "\n".join(filter(None, found))


def differences(reference: list[dict[str, Any]], script: ScriptRun) -> Iterator[str | None]:
    """What is compared, of rank 0 and of the random states of all: for each the first difference."""
    expected, checkpoint = reference[0], script.checkpoint
    yield rows_difference(expected["rows"], script.rows, ("Lightning", "the script"))
    for name in ("state_dict", "global_step", "lr_schedulers"):
        yield first_difference(expected[name], checkpoint[name], name)
    yield first_difference(expected["scaler"], checkpoint.get("MixedPrecision", {}), "the scaler's state")
    # without an optimizer Lightning's mock has an empty state
    states = [state for state in checkpoint["optimizer_states"] if state]
    yield first_difference(expected["optimizer_states"], states, "optimizer_states")
    for name in ("hyper_parameters", "datamodule_hyper_parameters"):
        yield first_difference(expected[name], checkpoint.get(name, {}), name)
    random = [state["torch"] for state in checkpoint["rng_states"]]
    yield first_difference([rank["rng_state"] for rank in reference], random, "random state by rank")


@pytest.mark.parametrize("case", ["skipped_steps"])
@pytest.mark.parametrize("world", [1, 2])
def test_steps_are_skipped_where_gradients_are_infinite(case: str, world: int, runs: Runs) -> None:
    """19.3: steps count and schedules go on (6.6), the optimizer's own count does not, and the scale is halved."""
    script = runs.script(CASES[case], world)
    skipped = sum(row.get("infinite", 0.0) for row in script.rows)
    (optimizer,) = script.checkpoint["optimizer_states"]
    assert skipped >= 2
    assert optimizer["state"][0]["step"] == script.checkpoint["global_step"] - skipped
    assert script.checkpoint["MixedPrecision"]["scale"] == 2.0 ** (16 - skipped)


@pytest.mark.parametrize("name", ONE_PROCESS_ONLY)
def test_exceptions_name_cases(name: str) -> None:
    assert name in CASES
