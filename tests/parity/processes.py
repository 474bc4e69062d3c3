"""Start the ranks of a world and have them do jobs; a job that fails does not take the others down."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from .worker import Job

_PORTS = count(12_000 + 997 * os.getpid() % 9_000)  # none twice, whoever asks

GRACE_SECONDS = 10.0  # for the other ranks to fail as well, and to say how


def do_all(module: str, jobs: Sequence[Job], world: int, folder: Path) -> None:
    """Do the jobs in `world` processes; what came out stands in each job's folder."""
    for job in jobs:
        job |= {"port": _free_port(), "world": world}
        Path(job["folder"]).mkdir(parents=True)
    left = list(jobs)
    while left:
        _run_world(module, left, world, folder)
        done = [_is_done(job, world) for job in left]
        if all(done):
            return
        failed = done.index(False)
        _note_silent_failure(left[failed], folder)
        left = left[failed + 1 :]


def _run_world(module: str, jobs: Sequence[Job], world: int, folder: Path) -> None:
    list_file = folder / "jobs.json"
    list_file.write_text(json.dumps(jobs))
    package = __package__
    root = Path(__file__).parents[package.count(".") + 1]
    command = [sys.executable, "-m", f"{package}.{module}", str(list_file)]
    with ExitStack() as stack:
        ranks = []
        for rank in range(world):
            log = stack.enter_context((folder / f"log.{rank}.txt").open("w"))
            env = _environment(rank, world, jobs[0], root)
            ranks.append(subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=folder))
        _wait(ranks)


def _wait(ranks: Sequence[subprocess.Popen[Any]]) -> None:
    """Until all have ended; where one fails, the others soon have to."""
    deadline = float("inf")
    while any(rank.poll() is None for rank in ranks):
        if deadline == float("inf") and any(rank.returncode for rank in ranks):
            deadline = time.monotonic() + GRACE_SECONDS
        if time.monotonic() > deadline:
            for rank in ranks:
                rank.kill()
        time.sleep(0.02)


def _environment(rank: int, world: int, first: Job, root: Path) -> dict[str, str]:
    """Our own environment without what belongs to other runs, with what torchrun sets, alike on both sides."""
    ours = {
        k: v for k, v in os.environ.items() if not k.startswith(("PL_", "SLURM_", "TORCHELASTIC_", "PYTEST"))
    }
    ours |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root), "PYTHONWARNINGS": "ignore"}
    if world == 1:
        return ours
    return ours | {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "GROUP_RANK": "0",
        "WORLD_SIZE": str(world),
        "LOCAL_WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(first["port"]),
        # by this Lightning knows that it need not start processes itself
        "TORCHELASTIC_RUN_ID": "parity",
    }


def _free_port() -> int:
    """Below those that the system hands out itself, so that it is still free when its job's turn comes."""
    while True:
        port = next(_PORTS)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def _is_done(job: Job, world: int) -> bool:
    return all((Path(job["folder"]) / f"result.{rank}.pt").exists() for rank in range(world))


def _note_silent_failure(job: Job, folder: Path) -> None:
    """A rank that was killed leaves no traceback of its own."""
    if not failure_of(Path(job["folder"])):
        logs = "\n".join(log.read_text()[-4000:] for log in sorted(folder.glob("log.*.txt")))
        Path(job["folder"], "failure.txt").write_text(logs or "it ended without a word")


def failure_of(folder: Path) -> str:
    """What went wrong in a job, rank by rank; empty if nothing did."""
    if not folder.exists():
        return "it was not run"
    files = [*sorted(folder.glob("failure*.txt")), *sorted(folder.glob("timeout*.txt"))]
    return "\n".join(f"--- {file.stem}\n{text}" for file in files if (text := file.read_text()))
