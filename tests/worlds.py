"""Starts the ranks of a world, which do one job after the other: see project_runner."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL


def run(folder: Path, jobs: list[dict[str, object]], world: int) -> None:
    """Run the jobs one after the other, each in `world` processes."""
    file = folder / "jobs.json"
    file.write_text(
        json.dumps([{**job, "port": port} for job, port in zip(jobs, free_ports(), strict=False)])
    )
    command = [sys.executable, str(Path(__file__).with_name("project_runner.py")), str(file)]
    started = [
        subprocess.Popen(command, env=environment(rank, world), stdout=DEVNULL, stderr=DEVNULL)
        for rank in range(world)
    ]
    assert [process.wait(timeout=300) for process in started] == [0] * world


def environment(rank: int, world: int) -> dict[str, str]:
    """What torchrun sets."""
    if world == 1:
        return dict(os.environ)
    places = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "GROUP_RANK": 0,
        "WORLD_SIZE": world,
        "LOCAL_WORLD_SIZE": world,
    }
    ours = {name: str(place) for name, place in places.items()}
    return {**os.environ, **ours, "MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "projects"}


def free_ports() -> Iterator[int]:
    first = 32_000 - 997 * os.getpid() % 9_000  # far from those of a process started just before or after
    for port in range(first, 12_000, -1):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                yield port
