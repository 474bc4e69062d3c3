"""Models that share themselves out by `self.device_mesh`: scripts train and go on as Lightning does (20.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("model_parallel")

VARIANTS = {
    "tensor": (2, "ModelParallelStrategy(1, 2"),
    "data": (2, "ModelParallelStrategy(tensor_parallel_size=1, data_parallel_size=2"),
    "both": (4, "ModelParallelStrategy(2, 2"),
}
"""By name: how many ranks there are, and how they are divided."""

BIASES = 2 * 6 * 4
"""Bytes that ranks with parts of one layer all have: its last bias."""

WHOLE = 2 * (12 * 6 + 12 + 6 * 12 + 6) * 4
SHARES = {
    "tensor": (WHOLE - BIASES) // 2 + BIASES,
    "data": WHOLE // 2,
    "both": (WHOLE - BIASES) // 4 + BIASES // 2,
}
"""Bytes of each rank's parameters."""


def add(runs: Runs, program: str, epochs: int, out: str, begun: str = "") -> None:
    """A run until so many epochs are done, from where another has left off."""
    checkpoint = [runs / begun / "done.ckpt"] if begun else []
    runs.add(program, str(epochs), *checkpoint, cwd=out)
    runs.jobs[-1]["is_lightnings"] = not program.startswith("train_")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what each run has left, by its variant."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("model_parallel"))
    original = (runs / "main.py").read_text()
    for world in (2, 4):
        for name in (name for name in VARIANTS if VARIANTS[name][0] == world):
            changed = original.replace("ModelParallelStrategy(1, 2", VARIANTS[name][1])
            (runs / f"{name}.py").write_text(changed.replace("devices=2", f"devices={world}"))
            runs.build(name, "strategy: model_parallel", source=f"{name}.py")
            script = f"train_{name}.py"
            add(runs, f"{name}.py", 2, f"{name}-lightnings")
            add(runs, f"{name}.py", 4, f"{name}-lightnings-on", f"{name}-lightnings")
            add(runs, script, 2, f"{name}-script")
            add(runs, script, 4, f"{name}-script-on", f"{name}-script")
        runs.run(world)
    add(runs, "train_tensor.py", 2, "data-by-tensor", "data-script")
    runs.run(2)
    add(runs, "train_tensor.py", 2, "data-alone", "data-script")
    runs.run(1)
    return runs.folder


def checkpoint(folder: Path, name: str) -> Mapping[str, Any]:
    """What Lightning's and the script's have in common."""
    loaded = torch.load(folder / name / "done.ckpt", weights_only=True)
    names = ("state_dict", "optimizer_states", "lr_schedulers", "epoch", "global_step", "hyper_parameters")
    return {key: loaded[key] for key in names}


@pytest.mark.processes
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("run", ["script", "script-on"])
def test_trains_and_goes_on_as_lightning(name: str, run: str, trained: Path) -> None:
    """Ranks with parts of one model read the same."""
    expected = f"{name}-lightnings{'-on' if run.endswith('-on') else ''}"
    difference = first_difference(checkpoint(trained, expected), checkpoint(trained, f"{name}-{run}"), name)
    assert not difference, difference
    for rank in range(VARIANTS[name][0]):
        found, told = (
            json.loads((trained / out / f"found-{rank}.json").read_text())
            for out in (expected, f"{name}-{run}")
        )
        assert found == told


@pytest.mark.processes
@pytest.mark.parametrize("name", VARIANTS)
def test_each_rank_has_its_share(name: str, trained: Path) -> None:
    """Of parameters, and of the optimizer's states: a mean and a square for each."""
    for rank in range(VARIANTS[name][0]):
        told = json.loads((trained / f"{name}-script-on" / f"found-{rank}.json").read_text())["bytes"]
        assert told == {"parameters": SHARES[name], "states": 2 * SHARES[name]}


@pytest.mark.processes
@pytest.mark.parametrize("out", ["data-by-tensor", "data-alone"])
def test_ranks_that_are_divided_otherwise_have_the_same(out: str, trained: Path) -> None:
    """Also a process by itself. No epoch is left to train, so that they write what they have read."""
    difference = first_difference(checkpoint(trained, "data-script"), checkpoint(trained, out), out)
    assert not difference, difference
