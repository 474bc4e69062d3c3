"""Scripts that other launchers than torchrun start: the spec's `launch` (21)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from worlds import Runs, environment, exit_codes, free_ports, program

SOURCES = Path(__file__).with_name("launch")
SETTINGS = "seed_everything: 1\ntrainer: {max_epochs: 1}"
TORCHRUNS = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RUN_ID"}
WORLD = 2

Launcher = Callable[[int, int], dict[str, str]]


def srun(rank: int, port: int) -> dict[str, str]:
    """What srun sets, for tasks on one node."""
    slurm = {
        "JOB_ID": 4710000 + port - 15000,  # which says the port
        "STEP_ID": 0,
        "NTASKS": WORLD,
        "PROCID": rank,
        "LOCALID": rank,
        "NODEID": 0,
        "NODELIST": "127.0.0.[1-2]",
        "TASKS_PER_NODE": f"{WORLD}(x2)",
    }
    others = {name: value for name, value in os.environ.items() if name not in TORCHRUNS}
    return others | {f"SLURM_{name}": str(value) for name, value in slurm.items()}


def torchrun(rank: int, port: int) -> dict[str, str]:
    return environment(rank, WORLD) | {"MASTER_PORT": str(port)}


def run(script: Path, launcher: Launcher, *arguments: str | Path) -> list[str]:
    """What each rank says of a script that is started in an empty folder called as its launcher."""
    folder = script.with_name(f"{script.stem}-{launcher.__name__}")
    folder.mkdir()
    port = next(port for port in free_ports() if 15_000 <= port < 25_000)
    logs = [folder / f"{rank}.log" for rank in range(WORLD)]
    shown = {"SHOW_ENVIRONMENT": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    ranks = [
        program([script, *arguments], launcher(rank, port) | shown, folder, logs[rank])
        for rank in range(WORLD)
    ]
    codes, said = exit_codes(ranks), [log.read_text() for log in logs]
    assert codes == [0] * WORLD, said
    return said


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(SOURCES, tmp_path_factory.mktemp("launch"))
    runs.build("simple", f"launch: auto\n{SETTINGS}", source="simple.py")
    runs.build("main", "launch: slurm", source="main.py")
    return runs


def test_a_script_that_any_launcher_starts(runs: Runs) -> None:
    """Started by srun or by torchrun, it trains alike, and says in order what each rank runs on."""
    for launcher in (srun, torchrun):
        first, second = run(runs / "train_simple.py", launcher, "--show-environment", "--out", "out")
        ranks = [line for line in first.splitlines() if line.startswith("rank ")]
        assert [line.partition(" on ")[0] for line in ranks] == [
            "rank 0 of 2: local rank 0",
            "rank 1 of 2: local rank 1",
        ]
        assert ranks[0].endswith("cpu, gloo")
        assert f"torch {torch.__version__}" in first
        assert "TORCH_CPP_LOG_LEVEL=ERROR" in first
        assert "rank 0" not in second
    weights = [runs.checkpoint(f"train_simple-{each}/out")["state_dict"] for each in ("srun", "torchrun")]
    torch.testing.assert_close(*weights, rtol=0, atol=0)


def test_a_main_of_ones_own(runs: Runs) -> None:
    """The trainer knows its node and its rank before and after the training, whoever started the process."""
    for launcher in (srun, torchrun):
        first, _ = run(runs / "train_main.py", launcher)
        assert "rank 1 of 2: local rank 1" in first
    for rank in range(WORLD):
        states = [
            torch.load(runs / f"train_main-{each}" / f"node0-rank{rank}.pt", weights_only=True)
            for each in ("srun", "torchrun")
        ]
        torch.testing.assert_close(*states, rtol=0, atol=0)


def test_it_has_what_its_launcher_needs_alone(runs: Runs) -> None:
    script = (runs / "train_main.py").read_text()
    assert "def slurm_variables" in script
    assert not any(f"{each}_variables" in script for each in ("lsf", "mpi", "kubeflow"))
    assert "    srun --ntasks-per-node=8 python train_main.py " in script
    assert "srun, jsrun, mpiexec and Kubeflow" in (runs / "train_simple.py").read_text()
