"""Trainings in processes that are forked from this one, which has torch: they begin at once."""

from __future__ import annotations

import faulthandler
import math
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import torch

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
    limit: float = 60.0  # seconds

    def run(self, strike: Strike | None = None, unbroken: float = 0.0) -> Ended:
        """Once, until all ranks have ended; so many seconds it takes when nothing happens."""
        begun, said, moments = time.monotonic(), self.folder / "said.txt", self.folder / "moments.txt"
        said.write_text("")
        moments.write_text("")
        progress = [Progress() for _ in range(self.world)]
        ranks = [self.start(rank, progress[rank], strike) for rank in range(self.world)]
        codes = Watch(ranks, begun, strike, unbroken).until_ended(begun + self.limit)
        over = time.monotonic()
        reached, steps, struck_at = progress[strike.rank if strike else 0].read()
        listed = tuple(moments.read_text().splitlines())
        return Ended(
            codes,
            said.read_text(),
            over - begun,
            steps,
            reached,
            over - struck_at if struck_at else 0.0,
            listed,
        )

    def start(self, rank: int, progress: Progress, strike: Strike | None) -> int:
        if child := os.fork():
            return child
        os.chdir(self.folder)
        for stream in (1, 2):
            os.dup2(os.open("said.txt", os.O_WRONLY | os.O_APPEND), stream)
        os.environ |= {**self.environment, **place(rank, self.world)}
        struck = strike if strike and strike.rank == rank and not strike.comes_from_outside else None
        timeline = Timeline(self.folder / RUN, progress, struck)
        run_as_main(self.script, self.arguments, timeline, rank == 0)


def run_as_main(script: Path, arguments: Sequence[str], timeline: Timeline, tells: bool) -> NoReturn:
    """End as Python would."""
    code = 1
    sys.argv = [str(script), *arguments]
    try:
        faulthandler.enable()
        torch.set_num_threads(1)
        timeline.begin()
        runpy.run_path(str(script), run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        if tells and code == 0:
            Path("moments.txt").write_text("\n".join(timeline.moments))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    raise AssertionError


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
