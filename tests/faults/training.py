"""Trainings in processes that are forked from this one, which has torch: they begin at once."""

from __future__ import annotations

import faulthandler
import math
import multiprocessing
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import torch
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from .buckets import bring
from .nodes import Nodes
from .timeline import Progress, Strike, Timeline

RUN = "run"
"""The folder that a script trains in, below that in which it is started."""


@dataclass(frozen=True)
class Ended:
    """How a training has ended."""

    codes: tuple[int, ...]  # of each rank; a signal's number is negative
    said: str
    seconds: float
    steps: int  # of the optimizer
    reached: int  # how many moments, by the rank that was struck
    seconds_after: float  # the strike
    moments: tuple[str, ...]  # of the first rank, where nothing has ended it


@dataclass(frozen=True)
class Training:
    """Starts of a script in a folder, by so many ranks."""

    script: Path
    folder: Path
    world: int
    arguments: Sequence[str]
    environment: Mapping[str, str]
    launch: str = ""  # or torchrun, or nodes
    place: str = ""  # where its files lie, if that is no local folder
    limit: float = 60.0  # seconds

    def run(self, strike: Strike | None = None, unbroken: float = 0.0) -> Ended:
        """Once, until all have ended; so many seconds it takes when nothing happens."""
        with Nodes() if self.launch == "nodes" else nullcontext() as nodes:
            return self.run_on(nodes, strike, unbroken)

    def run_on(self, nodes: Nodes | None, strike: Strike | None, unbroken: float) -> Ended:
        begun, said, moments = (
            time.monotonic(),
            self.folder / "said.txt",
            self.folder / "moments.txt",
        )
        said.write_text("")
        moments.write_text("")
        progress = [Progress() for _ in range(self.world)]
        if self.launch == "torchrun":
            ranks = [self.start_launcher(progress, strike)]
        else:
            ranks = [self.start(rank, progress[rank], strike, nodes) for rank in range(self.world)]
        codes = Watch(ranks, begun, strike, unbroken).until_ended(begun + self.limit)
        over = time.monotonic()
        if self.place:
            bring(self.place, self.folder / RUN)
        reached, steps, struck_at = progress[strike.rank if strike else 0].read()
        listed = tuple(moments.read_text().splitlines())
        after = over - struck_at if struck_at else 0.0
        return Ended(codes, said.read_text(), over - begun, steps, reached, after, listed)

    def start(self, rank: int, progress: Progress, strike: Strike | None, nodes: Nodes | None) -> int:
        if child := os.fork():
            return child
        self.begin()
        if nodes:
            nodes.enter(rank)
        os.environ |= place(rank, self.world)
        self.become(rank, progress, strike)

    def begin(self) -> None:
        """In a process that has just been forked."""
        os.chdir(self.folder)
        for stream in (1, 2):
            os.dup2(os.open("said.txt", os.O_WRONLY | os.O_APPEND), stream)
        os.environ |= self.environment

    def become(self, rank: int, progress: Progress, strike: Strike | None) -> NoReturn:
        struck = strike if strike and strike.rank == rank and not strike.comes_from_outside else None
        timeline = Timeline(self.folder / RUN, progress, struck)
        sys.argv = [str(self.script), *self.arguments]
        end_as_python(lambda: self.train(timeline, rank == 0))

    def train(self, timeline: Timeline, tells: bool) -> None:
        faulthandler.enable()
        torch.set_num_threads(1)
        timeline.begin()
        runpy.run_path(str(self.script), run_name="__main__")
        if tells:
            Path("moments.txt").write_text("\n".join(timeline.moments))

    def start_launcher(self, progress: list[Progress], strike: Strike | None) -> int:
        """As torchrun starts one on this node, whose ranks are forked."""
        if child := os.fork():
            return child
        self.begin()
        multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
        config = LaunchConfig(
            1,
            1,
            self.world,
            max_restarts=3,
            monitor_interval=0.1,
            start_method="fork",
            run_id="faults",
        )
        config.rdzv_backend, config.rdzv_endpoint = "c10d", "localhost:0"
        end_as_python(lambda: elastic_launch(config, self.train_launched)(progress, strike))

    def train_launched(self, progress: list[Progress], strike: Strike | None) -> None:
        """In a process of the launcher's; the first start alone is struck."""
        rank, is_first = (
            int(os.environ["RANK"]),
            os.environ["TORCHELASTIC_RESTART_COUNT"] == "0",
        )
        struck = strike if strike and strike.rank == rank and is_first else None
        sys.argv = [str(self.script), *self.arguments]
        self.train(
            Timeline(self.folder / RUN, progress[rank] if is_first else Progress(), struck),
            rank == 0,
        )


def end_as_python(train: Callable[[], object]) -> NoReturn:
    """Do this, and end as Python would."""
    code = 1
    try:
        train()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def place(rank: int, world: int) -> dict[str, str]:
    """What torchrun says in the environment."""
    if world == 1:
        return {}
    size = {"WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(world)}
    return {"RANK": str(rank), "LOCAL_RANK": str(rank), "GROUP_RANK": "0", **size}


class Watch:
    """Over the ranks of a training, as torchrun's: when one has failed, the others are told to leave."""

    PAUSE = 0.003
    UNTIL_TOLD, UNTIL_KILLED = 0.1, 10.0  # seconds after the first failure

    def __init__(self, ranks: list[int], begun: float, strike: Strike | None, unbroken: float) -> None:
        self.ranks, self.codes = ranks, dict[int, int]()
        self.strike = strike if strike and strike.comes_from_outside else None
        self.due = begun + unbroken * float(strike.at) if strike and self.strike else math.inf
        self.failed_at = math.inf
        self.is_told = False

    def until_ended(self, deadline: float) -> tuple[int, ...]:
        """Their exit codes."""
        while len(self.codes) < len(self.ranks):
            self.collect()
            now = time.monotonic()
            if self.strike and now > self.due:
                self.act(self.strike)
            if now > min(deadline, self.failed_at + self.UNTIL_KILLED):
                self.signal(signal.SIGABRT)  # which says where it is
            elif now > self.failed_at + self.UNTIL_TOLD and not self.is_told:
                self.is_told = True
                self.signal(signal.SIGTERM)
            time.sleep(self.PAUSE)
        return tuple(self.codes[rank] for rank in self.ranks)

    def collect(self) -> None:
        for rank in set(self.ranks) - set(self.codes):
            child, status = os.waitpid(rank, os.WNOHANG)
            if child:
                self.codes[rank] = code = os.waitstatus_to_exitcode(status)
                self.failed_at = min(self.failed_at, time.monotonic()) if code else self.failed_at

    def act(self, strike: Strike) -> None:
        if (rank := self.ranks[strike.rank]) not in self.codes:
            strike.act(rank, "")
        self.strike = None

    def signal(self, number: int) -> None:
        for rank in set(self.ranks) - set(self.codes):
            os.kill(rank, number)
