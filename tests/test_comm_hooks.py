"""Communication hooks: the script trains as a loop with torch's own API does, and goes on exactly (15.5, 20.2)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("comm_hooks")

POWER_SGD = "hook: powersgd, state: {start_powerSGD_iter: %d}"
ALL_ARGUMENTS = (
    "matrix_approximation_rank: 3, start_powerSGD_iter: 4, min_compression_rate: 1.5, use_error_feedback: false, "
    "warm_start: false, orthogonalization_epsilon: 1.0e-8, random_seed: 11, "
    "compression_stats_logging_frequency: 5, batch_tensors_with_same_shape: true"
)
LEFTOVERS = "{class_path: hooks.Leftovers, init_args: {share: 0.5}}"
ACCUMULATED = "\ntrainer: {accumulate_grad_batches: 2}"
EVERY_BACKWARD = "\nsync: multi_auto_sync"

SPECS = {
    "fp16": "ddp: {comm_hook: fp16}",
    "power_sgd": f"ddp: {{comm_hook: {{{POWER_SGD % 2}}}}}",
    "all_arguments": f"ddp: {{comm_hook: {{hook: powersgd, state: {{{ALL_ARGUMENTS}}}}}}}",
    "wrapped": f"ddp: {{comm_hook: {{{POWER_SGD % 5}, wrapper: fp16}}}}",
    "accumulated": f"ddp: {{comm_hook: {{{POWER_SGD % 3}}}}}{ACCUMULATED}",
    "every_backward": f"ddp: {{comm_hook: {{{POWER_SGD % 3}}}}}{ACCUMULATED}{EVERY_BACKWARD}",
    "static_graph": f"ddp: {{static_graph: true, comm_hook: {{{POWER_SGD % 2}}}}}{EVERY_BACKWARD}",
    "by_hand": f"model: ByHand\nddp: {{comm_hook: {{{POWER_SGD % 2}}}}}",
    "of_the_model_file": "ddp: {comm_hook: halved}",
    "of_a_module": "ddp: {comm_hook: hooks.rounded}",
    "with_a_state": f"ddp: {{comm_hook: {{hook: hooks.cut, state: {LEFTOVERS}}}}}",
}


OTHER_WORLDS = (1, 3)
"""In which a run of two ranks goes on."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The weights of each case: by hand, by a script, and by one that was stopped and has gone on."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    runs.add("by_hand.py", "plain", runs / "plain.pt")
    for name, spec in SPECS.items():
        runs.build(name, spec, *(() if "model:" in spec else ("--model", "Net")))
        runs.add("by_hand.py", name, runs / f"{name}.pt")
        runs.train(name, f"{name}-whole", 4)
        for epochs in (2, 4):
            runs.train(name, f"{name}-stopped", epochs)
    runs.build("given", "strategy: ddp", source="main.py")
    runs.add("train_given.py")
    runs.run()
    for world in OTHER_WORLDS:
        shutil.copytree(runs / "power_sgd-stopped", runs / f"power_sgd-by_{world}")
        runs.train("power_sgd", f"power_sgd-by_{world}", 5)
        runs.run(world)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_trains_as_a_loop_by_hand(name: str, trained: Runs) -> None:
    expected = torch.load(trained / f"{name}.pt", weights_only=True)
    actual = trained.checkpoint(f"{name}-whole")["state_dict"]
    assert not (difference := first_difference(expected, actual, name)), difference


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_each_hook_does_something(name: str, trained: Runs) -> None:
    plain = torch.load(trained / "plain.pt", weights_only=True)
    assert first_difference(plain, trained.checkpoint(f"{name}-whole")["state_dict"], name)


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_goes_on_exactly(name: str, trained: Runs) -> None:
    """What the hook keeps of the gradients included: it is for buckets as DDP had laid them out."""
    whole, stopped = trained.checkpoint(f"{name}-whole"), trained.checkpoint(f"{name}-stopped")
    assert not (difference := first_difference(whole, stopped, name)), difference


@pytest.mark.processes
def test_a_hook_of_a_strategys_is_for_cuda(trained: Runs) -> None:
    """As Lightning registers it (15.5)."""
    plain = torch.load(trained / "plain.pt", weights_only=True)
    actual = trained.checkpoint("runs/runs/net")["state_dict"]
    assert not (difference := first_difference(plain, actual, "given")), difference


@pytest.mark.processes
@pytest.mark.parametrize("world", OTHER_WORLDS)
def test_another_number_of_ranks_goes_on(world: int, trained: Runs) -> None:
    """They share what the others have left: there is no telling what more ranks would have."""
    before, after = (trained.checkpoint(f"power_sgd-{name}") for name in ("stopped", f"by_{world}"))
    assert (before["epoch"], after["epoch"]) == (3, 4)
    assert first_difference(before["state_dict"], after["state_dict"], "trained")
    assert len(after["comm_hooks"]) == world
