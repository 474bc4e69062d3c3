"""Optimizers whose states are shared out: scripts train, stop and go on as those whose ranks keep all states."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("sharded")

GROWING = """
trainer:
  callbacks: {class_path: LearningRateMonitor}
  logger: {class_path: CSVLogger, init_args: {save_dir: logs, version: 0}}
  plugins: {class_path: MixedPrecision, init_args: {precision: 16-mixed, device: cpu}}
"""
BY_HOOK = """  fused: true
trainer: {accumulate_grad_batches: 2, gradient_clip_val: 0.5}
"""
VARIANTS = {
    "plain": ("Telling", "true", ""),
    "views": ("Telling", "{parameters_as_bucket_view: true}", "sync: multi_auto_sync"),
    "by_hook": ("ByHook", "true", BY_HOOK),
    "by_hand": ("ByHand", "{parameters_as_bucket_view: true}", "ddp: {find_unused_parameters: true}"),
    "growing": ("Growing", "true", GROWING),
}
"""By name: a model, `zero`, and more of its spec."""


def build(runs: Runs, name: str, shares: bool) -> str:
    """Build a variant that shares states out, or that doesn't; the script's name."""
    model, zero, more = VARIANTS[name]
    built = name if shares else f"{name}_not"
    runs.build(built, f"optimizer:\n  zero: {zero if shares else 'false'}\n{more}", "--model", model)
    return built


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What each variant has left."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    for name in VARIANTS:
        runs.train(build(runs, name, False), f"{name}-not", 4)
        for epochs in (2, 4):
            runs.train(build(runs, name, True), name, epochs)
    runs.train("plain", "half", 2)
    runs.run()
    for name in ("plain", "plain_not"):
        shutil.copytree(runs / "half", runs / f"{name}-by-three")
        runs.train(name, f"{name}-by-three", 4)
    runs.run(world=3)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", VARIANTS)
def test_trains_and_goes_on_as_without(name: str, trained: Runs) -> None:
    """Weights, and all that checkpoints have of optimizers and schedulers, as Lightning reads it."""
    whole, gone_on = trained.checkpoint(f"{name}-not"), trained.checkpoint(name)
    assert whole["optimizer_states"][0]["state"]
    assert not (difference := first_difference(whole, gone_on, name)), difference


@pytest.mark.processes
def test_more_ranks_go_on(trained: Runs) -> None:
    plain, sharded = (trained.checkpoint(f"{name}-by-three") for name in ("plain_not", "plain"))
    assert sharded["epoch"] == 3
    assert not (difference := first_difference(plain, sharded, "of three")), difference


@pytest.mark.processes
def test_one_process_goes_on(trained: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps all states."""
    monkeypatch.syspath_prepend(trained.folder)
    monkeypatch.chdir(trained.folder)
    torch.set_num_threads(1)
    for name in ("plain_not", "plain"):
        shutil.copytree(trained / "half", trained / f"{name}-alone")
        options = ["--max-epochs", "4", "--out", f"{name}-alone", "--resume"]
        monkeypatch.setattr("sys.argv", [f"train_{name}.py", *options])
        runpy.run_path(str(trained / f"train_{name}.py"), run_name="__main__")
    plain, sharded = (trained.checkpoint(f"{name}-alone") for name in ("plain_not", "plain"))
    assert not (difference := first_difference(plain, sharded, "alone")), difference


def told(trained: Runs, name: str, rank: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((trained / f"in-{name}/told-{rank}.json").read_text())
    return found


@pytest.mark.processes
@pytest.mark.parametrize(("name", "world"), [("plain", 2), ("views", 2), ("plain-by-three", 3)])
def test_each_rank_has_its_share(name: str, world: int, trained: Runs) -> None:
    """As near as whole parameters come to it; a run that goes on too."""
    everything = told(trained, "plain-not", 0)["bytes"]
    shares = [told(trained, name, rank)["bytes"] for rank in range(world)]
    assert sum(shares) == everything
    assert max(shares) < 1.07 * everything / world


@pytest.mark.processes
def test_who_holds_the_optimizer_goes_on_with_it(trained: Runs) -> None:
    """It is of its class still, and hooks see each step once."""
    for name, steps in ("plain-not", 24), ("plain", 12):
        rest = {key: value for key, value in told(trained, name, 1).items() if key != "bytes"}
        assert rest == {"kind": "Adam", "isAdam": True, "steps": steps}


@pytest.mark.processes
def test_learning_rates_are_logged_under_the_same_names(trained: Runs) -> None:
    found = []
    for name in ("growing-not", "growing"):
        file = next((trained / f"in-{name}").rglob("metrics.csv"))
        found.append(set(file.read_text().splitlines()[0].split(",")))
    assert found[1] <= found[0]  # one that goes on has two groups from the start
    assert "lr-RMSprop/pg2" in found[1]
