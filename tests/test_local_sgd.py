"""Local SGD: the script trains as a loop with torch's own API does, and goes on exactly (15.5, 20.2)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("local_sgd")

ACCUMULATED = "trainer: {accumulate_grad_batches: 2, gradient_clip_val: 0.5}"
SPECS = {
    "alone": "ddp: {local_sgd: {period: 5, start_localSGD_iter: 4, subgroup_size: 1}}",
    "unshared": "ddp: {local_sgd: {period: 5, start_localSGD_iter: 4, post_local_gradient_allreduce: false}}",
    "shared": "ddp: {local_sgd: {period: 5, start_localSGD_iter: 4}}",
    "groups": "ddp: {local_sgd: {period: {2: 1, 5: 2}, start_localSGD_iter: 3, subgroup_size: 1}}",
    "accumulated": f"""ddp: {{local_sgd: {{period: 5, start_localSGD_iter: 4, subgroup_size: 1}}}}
{ACCUMULATED}""",
}


OTHER_WORLDS = (1, 3)
"""In which a run of two ranks goes on."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The weights of each case: by hand, and by a script that was stopped and has gone on."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    runs.add("by_hand.py", "plain", runs / "plain.pt")
    for name, spec in SPECS.items():
        runs.build(name, spec)
        runs.add("by_hand.py", name, runs / f"{name}.pt")
        for epochs in (2, 4):
            runs.train(name, name, epochs)
    said = runs.build("given", "strategy: ddp", source="main.py")
    assert "the hook is for CUDA devices alone; `ddp: {local_sgd: ...}`" in said
    runs.add("train_given.py")
    runs.run()
    for world in OTHER_WORLDS:
        shutil.copytree(runs / "alone", runs / f"by_{world}")
        runs.train("alone", f"by_{world}", 5)
        runs.run(world)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_each_rank_trains_and_goes_on_as_a_loop_by_hand(name: str, trained: Runs) -> None:
    by_hand = torch.load(trained / f"{name}.pt", weights_only=True)
    actual = trained.checkpoint(name)
    for rank, expected in enumerate(by_hand):
        found = actual["local_sgd"][rank]["model"]
        found = {key.removeprefix("layers."): found[key] for key in found}
        assert not (difference := first_difference(expected, found, f"rank {rank}")), difference
    first = actual["local_sgd"][0]
    assert not first_difference(actual["state_dict"], first["model"], "Lightning's")
    assert not first_difference(actual["optimizer_states"][0], first["optimizer"], "Lightning's")


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_ranks_differ_between_averages(name: str, trained: Runs) -> None:
    """But where they go on averaging gradients with each other."""
    first, second = torch.load(trained / f"{name}.pt", weights_only=True)
    plain, _ = torch.load(trained / "plain.pt", weights_only=True)
    assert bool(first_difference(first, second, name)) == (name != "shared")
    assert bool(first_difference(plain, first, name)) == (name != "shared")


@pytest.mark.processes
def test_a_strategys_averages_models_alone_on_the_cpu(trained: Runs) -> None:
    """As Lightning does (15.5): they are the same on all ranks, and stay so."""
    plain, _ = torch.load(trained / "plain.pt", weights_only=True)
    actual = trained.checkpoint("runs/runs/net")
    found = {key.removeprefix("layers."): value for key, value in actual["state_dict"].items()}
    assert actual["local_sgd"][0]["steps"] == 24
    assert not (difference := first_difference(plain, found, "given")), difference


@pytest.mark.processes
@pytest.mark.parametrize("world", OTHER_WORLDS)
def test_another_number_of_ranks_goes_on(world: int, trained: Runs) -> None:
    """They share what the others have left: there is no telling what more ranks would have."""
    before, after = trained.checkpoint("alone"), trained.checkpoint(f"by_{world}")
    assert (before["epoch"], after["epoch"]) == (3, 4)
    assert first_difference(before["state_dict"], after["state_dict"], "trained")
    assert all(value.isfinite().all() for value in after["state_dict"].values())
