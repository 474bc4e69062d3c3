"""Local SGD: the script trains as a loop with torch's own API does, and goes on exactly (15.5, 20.2)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import run

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


def built(folder: Path, name: str, spec: str, source: str = "model.py") -> tuple[Path, str]:
    """The script, and what the build says."""
    (folder / f"{name}.yaml").write_text(f"{spec}\n")
    arguments = ["build", str(folder / source), "--strategy", str(folder / f"{name}.yaml")]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return folder / f"train_{name}.py", result.output


def job(folder: Path, program: str, arguments: list[str], world: int = 2) -> dict[str, object]:
    return {
        "program": str(folder / program),
        "path": [str(folder)],
        "arguments": arguments,
        "cwd": str(folder / "runs"),
        "weights": None,
        "log": str(folder / f"{Path(program).stem}-{world}.log"),
        "world": world,
    }


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the weights of each case: by hand, and by a script that was stopped and has gone on."""
    folder = tmp_path_factory.mktemp("trained")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "runs").mkdir()
    jobs = [job(folder, "by_hand.py", ["plain", str(folder / "plain.pt")])]
    for name, spec in SPECS.items():
        script, said = built(folder, name, spec)
        assert "error" not in said, said
        jobs.append(job(folder, "by_hand.py", [name, str(folder / f"{name}.pt")]))
        for epochs in ("2", "4"):
            options = ["--out", str(folder / name), "--resume", "--max-epochs", epochs]
            jobs.append(job(folder, script.name, options))
    script, said = built(folder, "given", "strategy: ddp", "main.py")
    assert "the hook is for CUDA devices alone; `ddp: {local_sgd: ...}`" in said
    jobs.append(job(folder, script.name, []))
    run(folder, jobs, 2)
    for log in folder.glob("*.log"):
        raise AssertionError(log.read_text())
    return folder


def checkpoint(folder: Path, name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = torch.load(folder / name / "last.ckpt", weights_only=True)
    return loaded


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_each_rank_trains_and_goes_on_as_a_loop_by_hand(name: str, trained: Path) -> None:
    by_hand = torch.load(trained / f"{name}.pt", weights_only=True)
    actual = checkpoint(trained, name)
    for rank, expected in enumerate(by_hand):
        found = actual["local_sgd"][rank]["model"]
        found = {key.removeprefix("layers."): found[key] for key in found}
        assert not (difference := first_difference(expected, found, f"rank {rank}")), difference
    first = actual["local_sgd"][0]
    assert not first_difference(actual["state_dict"], first["model"], "Lightning's")
    assert not first_difference(actual["optimizer_states"][0], first["optimizer"], "Lightning's")


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_ranks_differ_between_averages(name: str, trained: Path) -> None:
    """But where they go on averaging gradients with each other."""
    first, second = torch.load(trained / f"{name}.pt", weights_only=True)
    plain, _ = torch.load(trained / "plain.pt", weights_only=True)
    assert bool(first_difference(first, second, name)) == (name != "shared")
    assert bool(first_difference(plain, first, name)) == (name != "shared")


@pytest.mark.processes
def test_a_strategys_averages_models_alone_on_the_cpu(trained: Path) -> None:
    """As Lightning does (15.5): they are the same on all ranks, and stay so."""
    (plain, _), actual = torch.load(trained / "plain.pt", weights_only=True), checkpoint(
        trained / "runs/runs", "net"
    )
    found = {key.removeprefix("layers."): value for key, value in actual["state_dict"].items()}
    assert actual["local_sgd"][0]["steps"] == 24
    assert not (difference := first_difference(plain, found, "given")), difference
