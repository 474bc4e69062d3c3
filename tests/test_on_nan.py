"""A sample is NaN that one of two ranks reads: both leave out the step, or both end before anything of it is saved."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from worlds import Runs, run

SPECS = {
    "skip": "on_nan: skip",
    "fused": "on_nan: skip\noptimizer: {fused: true}",
    "stop": "on_nan: stop\ncheckpoint: {every_n_steps: 1}",
    "go_on": "on_nan: go_on",
    "shared": "strategy: fsdp\ncheckpoint: {keep: 2, every_n_epochs: 2}",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What each of the scripts leaves after two epochs of two ranks."""
    runs = Runs(Path(__file__).with_name("on_nan"), tmp_path_factory.mktemp("runs"))
    for name, spec in SPECS.items():
        runs.build(name, f"seed_everything: 1\ntrainer: {{max_epochs: 2}}\n{spec}")
        job = {"program": str(runs / f"train_{name}.py"), "path": [str(runs.folder)], "weights": None}
        job |= {"arguments": ["--out", str(runs / name)], "cwd": str(runs.folder), "environment": {}}
        runs.jobs.append({**job, "log": str(runs / f"{name}.log"), "prints": str(runs / f"{name}.txt")})
    run(runs.folder, runs.jobs, 2)
    return runs


def weights(runs: Runs, name: str) -> torch.Tensor:
    weight: torch.Tensor = torch.load(runs / name / "last.ckpt")["state_dict"]["layer.weight"]
    return weight


@pytest.mark.processes
def test_steps_are_left_out_by_both_ranks(runs: Runs) -> None:
    """DDP would find their gradients out of step; the optimizer that decides on the device leaves out the same."""
    assert weights(runs, "skip").isfinite().all()
    torch.testing.assert_close(weights(runs, "skip"), weights(runs, "fused"))
    for name in ("skip", "fused"):
        said = (runs / f"{name}.txt").read_text()
        assert (
            said.count("steps left out, as gradients were NaN or infinite: 1\n") == 2
        ), "one line in each epoch"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "go_on",
            "step 8: NaN or infinite weights replace {last}\nstep 16: NaN or infinite weights replace {last}\n",
        ),
        ("shared", "step 16: rank 0: checkpoints have NaN or infinite weights now\n"),
    ],
)
def test_weights_that_are_saved_and_not_finite_are_told_of(runs: Runs, name: str, told: str) -> None:
    assert weights(runs, name).isnan().all()
    said = [
        each for each in (runs / f"{name}.txt").read_text().splitlines(keepends=True) if "weights" in each
    ]
    assert "".join(said) == told.format(last=runs / name / "last.ckpt")


@pytest.mark.processes
def test_what_was_good_stays(runs: Runs) -> None:
    assert "step 1: gradients are NaN or infinite" in (runs / "stop.log").read_text()
    checkpoint = torch.load(runs / "stop/last.ckpt")
    assert checkpoint["global_step"] == 1
    assert weights(runs, "stop").isfinite().all()
