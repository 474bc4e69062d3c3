"""Starts the ranks of a world, which do one job after the other (see project_runner), and other programs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import torch
from click.testing import CliRunner
from ddpgen.cli import main

HERE = Path(__file__).parent

SEEDS = ("PL_GLOBAL_SEED", "PL_SEED_WORKERS")


def run(folder: Path, jobs: list[dict[str, object]], world: int) -> None:
    """Run the jobs one after the other, each in `world` processes."""
    file = folder / "jobs.json"
    file.write_text(
        json.dumps([{**job, "port": port} for job, port in zip(jobs, free_ports(), strict=False)])
    )
    ranks = [program([HERE / "project_runner.py", file], environment(rank, world)) for rank in range(world)]
    assert exit_codes(ranks, 300 + 2 * len(jobs)) == [0] * world


class Runs:
    """A folder in which a model's scripts are built and run one after the other, and what they leave there."""

    def __init__(self, sources: Path, folder: Path) -> None:
        self.folder = folder
        self.jobs: list[dict[str, object]] = []
        shutil.copytree(sources, folder, dirs_exist_ok=True)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def build(self, name: str, spec: str, *options: str, source: str = "model.py") -> str:
        """Build `train_{name}.py`; what the build says."""
        file = self / f"{name}.yaml"
        file.write_text(f"{spec}\n")
        arguments = ["build", str(self / source), "--strategy", str(file), *options]
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert not result.exit_code, result.output
        return result.output

    def add(self, program: str, *arguments: str | Path, cwd: str = "runs") -> None:
        """A program that is run with its arguments when its turn comes."""
        job = {"program": str(self / program), "path": [str(self.folder)], "cwd": str(self / cwd)}
        job |= {"weights": None, "is_lightnings": program == "by_hand.py"}
        job |= {"arguments": [str(each) for each in arguments], "log": str(self / f"{len(self.jobs)}.log")}
        self.jobs.append(job)

    def train(self, name: str, out: str, epochs: int) -> None:
        """Have a script train until so many epochs are done, from where a run has left off."""
        options = ("--max-epochs", str(epochs), "--out", self / out, "--resume")
        self.add(f"train_{name}.py", *options, cwd=f"in-{out}")

    def run(self, world: int = 2) -> None:
        """Run what was added, each program in so many processes."""
        run(self.folder, self.jobs, world)
        self.jobs.clear()
        for log in self.folder.glob("*.log"):
            raise AssertionError(log.read_text())

    def checkpoint(self, out: str) -> dict[str, Any]:
        """What a run has left, but for its name, and for random states: these runs have no seed."""
        loaded: dict[str, Any] = torch.load(self / out / "last.ckpt", weights_only=True)
        return {key: value for key, value in nameless(loaded).items() if key != "rng_states"}


def nameless(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint without its run's name, which no other run has."""
    return {key: value for key, value in checkpoint.items() if key != "run"}


def program(
    arguments: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    output: str | Path = os.devnull,
) -> dict[str, Any]:
    """A Python program, or `-m` and a module, with its arguments; what it writes goes to the end of `output`."""
    return {
        "arguments": [str(each) for each in arguments],
        "environment": dict(os.environ if environment is None else environment),
        "folder": str(folder or Path.cwd()),
        "output": str(output),
    }


def exit_codes(programs: Sequence[Mapping[str, Any]], seconds: float = 300) -> list[int]:
    """How the programs end, which run side by side, each as if Python was started for it."""
    server = _preloaded()
    assert server.stdin is not None
    assert server.stdout is not None
    print(json.dumps({"programs": programs, "seconds": seconds}), file=server.stdin, flush=True)
    codes: list[int] = json.loads(server.stdout.readline())
    return codes


def ran(*arguments: str | Path, folder: Path) -> tuple[int, str]:
    """How a Python program ends, and what it says."""
    with NamedTemporaryFile("r") as said:
        (code,) = exit_codes([program(arguments, folder=folder, output=said.name)])
        return code, said.read()


@cache
def _preloaded() -> subprocess.Popen[str]:
    """One for all tests of this process, with which it ends."""
    command = [sys.executable, str(HERE / "preloaded.py")]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def environment(rank: int, world: int) -> dict[str, str]:
    """What torchrun sets, without the seed that a test before has left there for Lightning."""
    outer = {name: value for name, value in os.environ.items() if name not in SEEDS}
    if world == 1:
        return outer
    places = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "GROUP_RANK": 0,
        "WORLD_SIZE": world,
        "LOCAL_WORLD_SIZE": world,
    }
    ours = {name: str(place) for name, place in places.items()}
    return {**outer, **ours, "MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "projects"}


def free_ports() -> Iterator[int]:
    first = 32_000 - 997 * os.getpid() % 9_000  # far from those of a process started just before or after
    for port in range(first, 12_000, -1):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                yield port
