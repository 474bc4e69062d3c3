"""What is played: each fault with each of its scripts, at each of its points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from worlds import free_ports

from .faults import FAULTS, At, Fault
from .scripts import SCRIPTS, Script, build, left
from .training import RUN, Ended, Training


@dataclass(frozen=True)
class Unbroken:
    """What so many ranks leave that train with a script, when nothing happens."""

    script: Script
    file: Path
    world: int
    ended: Ended
    left: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.script.name}-{self.world}"


@dataclass(frozen=True)
class Case:
    """A fault that comes at each of these points in turn, each in a start of its own."""

    fault: Fault
    unbroken: Unbroken
    points: tuple[At, ...]
    rank: int

    @property
    def name(self) -> str:
        return f"{self.fault.name}/{self.unbroken.name}/{','.join(map(str, self.points))}"


class Cases:
    """All that are wanted, the same for each seed. What they share is made once."""

    def __init__(self, folder: Path, seed: int, wanted: str = "", few: int | None = None) -> None:
        self.folder, self.seed, self.wanted, self.few = folder, seed, wanted, few

    def all(self) -> list[Case]:
        """Those whose names begin as it is wanted; a few of each fault and script, where that is said."""
        found = []
        for fault in FAULTS:
            for name in fault.on.split():
                if goes_with(f"{fault.name}/{name}", self.wanted):
                    cases = list(cases_of(fault, self.unbroken(name), self.seed))
                    chance = Random(self.seed)
                    few = self.few is not None and self.few < len(cases)
                    found += chance.sample(cases, self.few) if few else cases
        return [case for case in found if goes_with(case.name, self.wanted)]

    @cache  # noqa: B019 - as long as there are cases
    def unbroken(self, name: str) -> Unbroken:
        """What `script-ranks` leaves that is left alone."""
        script, _, world = name.partition("-")
        file = self.built(script)
        training = prepared(SCRIPTS[script], file, int(world), self.folder / name, free_ports())
        ended = training.run()
        assert not any(ended.codes), ended.said
        return Unbroken(SCRIPTS[script], file, int(world), ended, left(training.folder / RUN))

    @cache  # noqa: B019
    def built(self, script: str) -> Path:
        return build(SCRIPTS[script], self.folder)


def goes_with(beginning: str, wanted: str) -> bool:
    """Whether one is the beginning of the other, up to a slash."""
    shorter, longer = sorted((f"{beginning}/", f"{wanted}/".lstrip("/")), key=len)
    return longer.startswith(shorter)


def cases_of(fault: Fault, unbroken: Unbroken, seed: int) -> Iterator[Case]:
    chance = Random(f"{seed} {fault.name} {unbroken.name}")
    for points in fault.points(unbroken.ended, chance):
        yield Case(fault, unbroken, points, chance.randrange(unbroken.world) if fault.on_any_rank else 0)


def prepared(script: Script, file: Path, world: int, folder: Path, ports: Iterator[int]) -> Training:
    folder.mkdir()
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(next(ports))}
    return Training(file, folder, world, script.arguments, {**script.environment, **meeting})
