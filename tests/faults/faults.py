"""What goes wrong, when, and what must hold then: the table of faults."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import torch

from .buckets import lose
from .nodes import cut, cut_for_a_second
from .timeline import OF_FILES, WRITES
from .training import RUN, Ended

Act = Callable[[int, str], None]
At = str | int | float
Harm = Callable[[Path, At], None]
Points = Callable[[Ended, Random], Iterator[tuple[At, ...]]]
"""When a fault comes, by what is done where none comes: for each run, the points of its starts."""


def nothing(process: int, moment: str) -> None:
    """Where harm is done while none trains."""


@dataclass(frozen=True)
class Fault:
    """What has been saved is there after it, and what goes on from it ends as if nothing had happened.

    It strikes a process, or does harm to the folder of a run that is stopped, and that may be refused then.
    """

    name: str
    on: str  # scripts, each with its number of ranks
    points: Points
    act: Act = nothing
    code: int = 0  # which the rank that was struck ends with
    others: int | None = None  # and the others; unset, any but 0
    loses: int | None = None  # steps; unset, as many as the script says
    says: str = ""
    lines: int = 1000  # that are said at most
    seconds: float = 15.0  # after which all have ended
    harm: Harm | None = None
    ends: Literal["same", "refused", "either"] = "same"
    lasts: bool = False  # after it has come, until the process ends
    on_any_rank: bool = False  # else on the first, which writes
    goes_on: bool = False  # by itself
    over_another: bool = False  # in the folder of another run, whose files are kept, too
    is_control: bool = False  # what was saved is lost here: it shows that this would be seen

    def allows(self, codes: tuple[int, ...], struck: int, had_trained: bool) -> bool:
        """Whether ranks may end so; where all steps had been made, others may have nothing left to do."""
        if self.goes_on:
            return not any(codes)
        others = [code for rank, code in enumerate(codes) if rank != struck]
        expected = (
            code == self.others if self.others is not None else code != 0 or had_trained for code in others
        )
        return codes[struck] == self.code and all(expected)


# ---- what happens ----------------------------------------------------------------------------------------


def kill(process: int, moment: str) -> None:
    os.kill(process, signal.SIGKILL)


def leave(process: int, moment: str) -> None:
    os._exit(3)


def fail(process: int, moment: str) -> None:
    raise RuntimeError("as it was told to")


def hang(process: int, moment: str) -> None:
    time.sleep(600)


def tell(number: signal.Signals) -> Act:
    return lambda process, moment: os.kill(process, number)


def fails_writing(number: int) -> Act:
    def act(process: int, moment: str) -> None:
        if moment.startswith(WRITES):
            raise OSError(number, os.strerror(number))

    return act


def remove_folder(process: int, moment: str) -> None:
    shutil.rmtree(RUN)


# ---- what is done while none trains ----------------------------------------------------------------------


def cut_short(file: Path, part: At) -> None:
    os.truncate(file, int(file.stat().st_size * float(part)))


def flip_a_bit(file: Path, number: At) -> None:
    data = bytearray(file.read_bytes())
    bit = Random(f"{number}").randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


def put_in_its_place(file: Path, what: At) -> None:
    FOREIGN[str(what)](file)


class Exploding:
    """Runs a command where it is read by a plain pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch exploded",)


FOREIGN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("epoch,loss\n0,1.0\n"),
    "zeros": lambda file: file.write_bytes(bytes(40_000)),
    "another program's": lambda file: torch.save({"model": {"weight": torch.ones(3)}}, file),
    "a pickle that runs code": lambda file: file.write_bytes(pickle.dumps(Exploding())),
    "a checkpoint that runs code": lambda file: torch.save({"rng_states": Exploding()}, file),
}


# ---- when ------------------------------------------------------------------------------------------------


def each_of_two_saves(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Each file operation up to the end of the second save."""
    renamed = [number for number, moment in enumerate(unbroken.moments, 1) if moment.startswith("renamed")]
    for number, moment in enumerate(unbroken.moments[: renamed[1]], 1):
        if moment.startswith(OF_FILES):
            yield (number,)


def until_the_last_epoch(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    """Each file operation before it, but of those that write a file one alone."""
    before = ""
    for number, moment in enumerate(unbroken.moments[: unbroken.moments.index("training 3:0")], 1):
        kind = moment.split()[0].replace("half", "write")
        if moment.startswith(OF_FILES) and (kind, "write") != (before, before):
            yield (number,)
        before = kind


def each(*points: At) -> Points:
    return lambda unbroken, chance: ((point,) for point in points)


def each_phase_once(unbroken: Ended, chance: Random) -> Iterator[tuple[At, ...]]:
    yield from ((points[0],) for points in each_phase(unbroken, chance))


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
    """Each batch but those of the last epoch, and where the model validates and saves."""
    last = unbroken.moments.index("training 2:0")
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
REFUSED: dict[str, Any] = {"ends": "refused", "says": "is damaged", "lines": 3}

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
    Fault("killed at a file operation", "kept-1 kept-2", until_the_last_epoch, kill, -9),
    Fault("killed at any time", "plain-1 steps-1 background-1", any_time(20), kill, -9),
    Fault(
        "killed at any time", "plain-2 steps-2 background-2 shares-2", any_time(8), kill, -9, on_any_rank=True
    ),
    Fault("killed at any time, in a bucket", "bucket-1 bucket-2", any_time(8), kill, -9, on_any_rank=True),
    Fault(
        "the bucket does not answer",
        "bucket-1 bucket-2",
        each("saving 0", "saving 1"),
        lose,
        1,
        says="/last.ckpt: Could not connect to the endpoint URL",
    ),
    Fault(
        "a rank raises", "plain-2 shares-2", each_phase, fail, 1, says="as it was told to", on_any_rank=True
    ),
    Fault("a rank exits", "plain-2 shares-2", each_phase, leave, 3, on_any_rank=True),
    Fault(
        "killed as it claims a folder",
        "fresh-1 fresh-2",
        each(*range(1, 13)),
        kill,
        -9,
        loses=1000,
        over_another=True,
    ),
    Fault("a rank hangs", "watched-2", each_phase_once, hang, 1, says="is behind", on_any_rank=True),
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
        "torchrun starts it again: killed",
        "launched-2",
        each_phase_once,
        kill,
        goes_on=True,
        on_any_rank=True,
    ),
    Fault(
        "torchrun starts it again: raised",
        "launched-2",
        each_phase_once,
        fail,
        goes_on=True,
        on_any_rank=True,
    ),
    Fault(
        "the disk is full",
        "plain-1 steps-1 background-1",
        each_of_two_saves,
        fails_writing(errno.ENOSPC),
        1,
        lasts=True,
    ),
    Fault("the disk is read-only", "plain-1", each_of_two_saves, fails_writing(errno.EROFS), 1, lasts=True),
    Fault("the folder is removed", "plain-1", each_phase, remove_folder, 1, loses=1000),
    Fault(
        "a bit is flipped",
        "plain-1",
        each(*range(300)),
        harm=flip_a_bit,
        ends="either",
        says="is damaged",
        lines=3,
    ),
    Fault("a file is cut short", "plain-1 plain-2", each(0.1, 0.5, 0.9, 0.999), harm=cut_short, **REFUSED),
    Fault("the newest is cut short", "backed-1 backed-2", each(0.1, 0.5, 0.999), harm=cut_short),
    Fault(
        "a foreign file", "plain-1 plain-2", each(*FOREIGN), harm=put_in_its_place, **{**REFUSED, "lines": 9}
    ),
    Fault(
        "the link is cut for a second",
        "apart-2",
        each_phase_once,
        cut_for_a_second,
        goes_on=True,
        on_any_rank=True,
    ),
    Fault("the link is cut", "apart-2", each_phase_once, cut, 1, seconds=20, on_any_rank=True),
)
