"""Communication hooks: the script trains as a loop with torch's own API does, and goes on exactly (15.5, 20.2)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import run

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


def built(folder: Path, name: str, spec: str, source: str = "model.py") -> tuple[Path, str]:
    """The script, and what the build says."""
    model = () if source == "main.py" or "model:" in spec else ("--model", "Net")
    (folder / f"{name}.yaml").write_text(f"{spec}\n")
    arguments = [str(folder / source), "--strategy", str(folder / f"{name}.yaml"), *model]
    result = CliRunner().invoke(main, ["build", *arguments], catch_exceptions=False)
    return folder / f"train_{name}.py", result.output


def job(folder: Path, program: str, arguments: list[str], world: int = 2) -> dict[str, object]:
    return {
        "program": str(folder / program),
        "path": [str(folder)],
        "arguments": arguments,
        "cwd": str(folder / "runs"),
        "weights": None,
        "is_lightnings": program == "by_hand.py",
        "log": str(folder / f"{Path(program).stem}-{'-'.join(arguments[:1])}.log".replace("--", "")),
        "world": world,
    }


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the weights of each case: by hand, by a script, and by one that was stopped and has gone on."""
    folder = tmp_path_factory.mktemp("trained")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "runs").mkdir()
    jobs = [job(folder, "by_hand.py", ["plain", str(folder / "plain.pt")])]
    for name, spec in SPECS.items():
        script, said = built(folder, name, spec)
        assert "error" not in said, said
        jobs.append(job(folder, "by_hand.py", [name, str(folder / f"{name}.pt")]))
        jobs.append(job(folder, script.name, ["--max-epochs", "4", "--out", str(folder / f"{name}-whole")]))
        stopped = ["--out", str(folder / f"{name}-stopped"), "--max-epochs"]
        jobs.append(job(folder, script.name, [*stopped, "2"]))
        jobs.append(job(folder, script.name, [*stopped, "4", "--resume"]))
    script, said = built(folder, "given", "strategy: ddp", "main.py")
    assert "error" not in said, said
    jobs.append(job(folder, script.name, []))
    run(folder, jobs, 2)
    shutil.copytree(folder / "power_sgd-stopped", folder / "power_sgd-by_three")
    by_three = ["--out", str(folder / "power_sgd-by_three"), "--max-epochs", "5", "--resume"]
    run(folder, [job(folder, "train_power_sgd.py", by_three, world=3)], 3)
    for log in folder.glob("*.log"):
        raise AssertionError(log.read_text())
    return folder


def checkpoint(folder: Path, name: str) -> Mapping[str, object]:
    loaded: Mapping[str, object] = torch.load(folder / name / "last.ckpt", weights_only=True)
    return {key: loaded[key] for key in loaded.keys() - {"rng_states"}}  # runs without a seed


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_trains_as_a_loop_by_hand(name: str, trained: Path) -> None:
    expected = torch.load(trained / f"{name}.pt", weights_only=True)
    actual = checkpoint(trained, f"{name}-whole")["state_dict"]
    assert not (difference := first_difference(expected, actual, name)), difference


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_each_hook_does_something(name: str, trained: Path) -> None:
    plain = torch.load(trained / "plain.pt", weights_only=True)
    assert first_difference(plain, checkpoint(trained, f"{name}-whole")["state_dict"], name)


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_goes_on_exactly(name: str, trained: Path) -> None:
    """What the hook keeps of the gradients included: it is for buckets as DDP had laid them out."""
    whole, stopped = checkpoint(trained, f"{name}-whole"), checkpoint(trained, f"{name}-stopped")
    assert not (difference := first_difference(whole, stopped, name)), difference


@pytest.mark.processes
def test_a_hook_of_a_strategys_is_for_cuda(trained: Path) -> None:
    """As Lightning registers it (15.5)."""
    plain = torch.load(trained / "plain.pt", weights_only=True)
    actual = checkpoint(trained, "runs/runs/net")["state_dict"]
    assert not (difference := first_difference(plain, actual, "given")), difference


@pytest.mark.processes
def test_another_number_of_ranks_goes_on(trained: Path) -> None:
    """They share what the others have left: there is no telling what more ranks would have."""
    assert checkpoint(trained, "power_sgd-by_three")["epoch"] == 4
    hooks = checkpoint(trained, "power_sgd-by_three")["comm_hooks"]
    assert len(hooks) == 3  # type: ignore[arg-type]  # a list
