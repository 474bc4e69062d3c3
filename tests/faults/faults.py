"""What goes wrong, when, and what must hold then: the table of faults."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from .timeline import OF_FILES, WRITES
from .training import Ended

Act = Callable[[int, str], None]
At = str | int | float
Points = Callable[[Ended, Random], Iterator[tuple[At, ...]]]
"""When a fault comes, by what is done where none comes: for each run, the points of its starts."""


@dataclass(frozen=True)
class Fault:
    """Strikes a training; what it has saved is there, and what goes on from it ends as if none had been struck."""

    name: str
    on: str  # scripts, each with its number of ranks
    points: Points
    act: Act
    code: int  # which the rank that was struck ends with
    others: int | None = None  # and the others; unset, any but 0
    loses: int | None = None  # steps; unset, as many as the script says
    says: str = ""
    seconds: float = 15.0  # after which all have ended
    lasts: bool = False  # after it has come, until the process ends
    on_any_rank: bool = False  # else on the first, which writes
    is_control: bool = False  # what was saved is lost here: it shows that this would be seen

    def allows(self, codes: tuple[int, ...], struck: int) -> bool:
        others = [code for rank, code in enumerate(codes) if rank != struck]
        expected = (code == self.others if self.others is not None else code != 0 for code in others)
        return codes[struck] == self.code and all(expected)


# ---- what happens ----------------------------------------------------------------------------------------


def kill(process: int, moment: str) -> None:
    os.kill(process, signal.SIGKILL)


def leave(process: int, moment: str) -> None:
    os._exit(3)


def fail(process: int, moment: str) -> None:
    raise RuntimeError("as it was told to")


def tell(number: signal.Signals) -> Act:
    return lambda process, moment: os.kill(process, number)


def fails_writing(number: int) -> Act:
    def act(process: int, moment: str) -> None:
        if moment.startswith(WRITES):
            raise OSError(number, os.strerror(number))

    return act


# ---- when ------------------------------------------------------------------------------------------------


def each_of_two_saves(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Each file operation up to the end of the second save."""
    renamed = [number for number, moment in enumerate(unbroken.moments, 1) if moment.startswith("renamed")]
    for number, moment in enumerate(unbroken.moments[: renamed[1]], 1):
        if moment.startswith(OF_FILES):
            yield (number,)


def each_phase(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Once in each of these, and in what follows when it goes on."""
    yield from (
        ("training 0:0",),
        ("training 0:3", "loading"),
        ("training 1:1",),
        ("training 2:0", "training 2:1"),
    )
    yield from (("validating 1:0",), ("saving 0",), ("saving 1", "saving 2"))


def any_step(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Each batch but the last few, and where the model validates and saves."""
    last = unbroken.moments.index("training 2:1")
    places = [each for each in unbroken.moments[:last] if not each.startswith(OF_FILES)]
    trained = places.index("training 0:0")
    yield from ((each,) for each in dict.fromkeys(places[trained:]) if each not in places[:trained])


def any_time(runs: int, strikes: int = 3) -> Points:
    """Runs that are struck so many times, each after a part of the time that one takes which is left alone."""

    def points(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
        for _ in range(runs):
            yield tuple(round(chance.uniform(0.1, 0.9), 3) for _ in range(strikes))

    return points


def within_the_second_save(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Where half of something is written."""
    saves = [
        number for number, moment in enumerate(unbroken.moments, 1) if moment.startswith("open last.ckpt")
    ]
    yield from ((saves[1] + 2 + more,) for more in (0, 2, 4))


# ---- the table -------------------------------------------------------------------------------------------

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)

FAULTS = (
    Fault(
        "a control: files are written in place",
        "in_place-1",
        within_the_second_save,
        kill,
        -9,
        is_control=True,
    ),
    Fault("killed at a file operation", "plain-1 steps-1 background-1", each_of_two_saves, kill, -9),
    Fault("killed at a file operation", "plain-2 shares-2", each_of_two_saves, kill, -9),
    Fault("killed at any time", "plain-1 steps-1 background-1", any_time(20), kill, -9),
    Fault(
        "killed at any time", "plain-2 steps-2 background-2 shares-2", any_time(8), kill, -9, on_any_rank=True
    ),
    Fault(
        "a rank raises", "plain-2 shares-2", each_phase, fail, 1, says="as it was told to", on_any_rank=True
    ),
    Fault("a rank exits", "plain-2 shares-2", each_phase, leave, 3, on_any_rank=True),
    Fault("a rank is killed", "plain-2 background-2 shares-2", each_phase, kill, -9, on_any_rank=True),
    *(
        Fault(
            f"told by {each.name}",
            "leaving-1",
            any_step,
            tell(each),
            143,
            loses=0,
            says=f"{each.name} after step",
        )
        for each in SIGNALS
    ),
    *(
        Fault(
            f"told by {each.name}",
            "leaving-2",
            any_step,
            tell(each),
            143,
            143,
            0,
            "after step",
            on_any_rank=True,
        )
        for each in SIGNALS
    ),
    Fault(
        "the disk is full", "plain-1 steps-1", each_of_two_saves, fails_writing(errno.ENOSPC), 1, lasts=True
    ),
    Fault("the disk is read-only", "plain-1", each_of_two_saves, fails_writing(errno.EROFS), 1, lasts=True),
)
