"""What is played: each fault with each of its scripts, at each of its points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from worlds import free_ports

from . import buckets
from .faults import FAULTS, At, Fault, kill
from .nodes import FIRST, can_be_made
from .scripts import SCRIPTS, Script, build, left
from .timeline import Strike
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
    stopped: Path | None  # the folder of a run that was stopped, where there is one before

    @property
    def name(self) -> str:
        return f"{self.fault.name}/{self.unbroken.name}/{','.join(map(str, self.points))}"


class Cases:
    """All that are wanted, the same for each seed. What they share is made once."""

    def __init__(self, folder: Path, seed: int, wanted: list[str], few: int | None = None) -> None:
        self.folder, self.seed, self.wanted, self.few = folder, seed, wanted, few

    def all(self) -> list[Case]:
        """Those whose names begin as it is wanted; a few of each fault and script, where that is said."""
        found = []
        for fault in FAULTS:
            for name in fault.on.split():
                needs_nodes = SCRIPTS[name.partition("-")[0]].launch == "nodes"
                if needs_nodes and not can_be_made():
                    print(f"{fault.name}: left out, as only root can make nodes, with `ip`")
                elif self.is_wanted(f"{fault.name}/{name}"):
                    cases = list(self.cases_of(fault, name))
                    chance = Random(self.seed)
                    few = self.few is not None and self.few < len(cases)
                    found += chance.sample(cases, self.few) if few else cases
        return [case for case in found if self.is_wanted(case.name)]

    def is_wanted(self, beginning: str) -> bool:
        """Whether it is the beginning of what is wanted, up to a slash, or the other way round."""
        names = ((f"{beginning}/", f"{each}/" if each else "") for each in self.wanted)
        return any(one.startswith(other) or other.startswith(one) for one, other in names)

    def cases_of(self, fault: Fault, name: str) -> Iterator[Case]:
        whole, chance = self.unbroken(name), Random(f"{self.seed} {fault.name} {name}")
        stopped = self.stopped(name) if fault.harm or fault.over_another else None
        for points in fault.points(whole.ended, chance):
            yield Case(
                fault,
                whole,
                points,
                chance.randrange(whole.world) if fault.on_any_rank else 0,
                stopped,
            )

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
    def stopped(self, name: str) -> Path:
        """The folder of a run that was stopped within its last epoch, and goes on from what it has saved."""
        whole = self.unbroken(name)
        training = prepared(
            whole.script,
            whole.file,
            whole.world,
            self.folder / f"{name}-stopped",
            free_ports(),
        )
        assert any(training.run(Strike("training 2:1", kill)).codes)
        return training.folder / RUN

    @cache  # noqa: B019
    def built(self, script: str) -> Path:
        return build(SCRIPTS[script], self.folder)


def prepared(script: Script, file: Path, world: int, folder: Path, ports: Iterator[int]) -> Training:
    folder.mkdir()
    first = FIRST if script.launch == "nodes" else "127.0.0.1"
    meeting = {"MASTER_ADDR": first, "MASTER_PORT": str(next(ports))}
    place, arguments = "", script.arguments
    if script.in_bucket:
        buckets.begin()
        place = f"{buckets.BUCKET}/{folder.name}"
        arguments = tuple(place if each == RUN else each for each in arguments)
    environment = {**script.environment, **meeting}
    return Training(file, folder, world, arguments, environment, script.launch, place)
