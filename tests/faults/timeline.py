"""The moments of a training: what it does to its files, and where its model is. At any of them something can happen."""

from __future__ import annotations

import _pyio
import builtins
import io
import mmap
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from struct import pack, unpack
from typing import Any

CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink")
"""What Python tells its audit hooks of files, beside `open`; a model tells them `sys.audit("model", place)`."""

WRITES = ("open", "write", "half", "truncate", "fsync", "mkdir", "rename", "symlink")
"""Moments that a full disk, or one that is read-only, makes fail; and of these and others, those that are a file's."""
OF_FILES = (*WRITES, "read", "remove", "rmdir", "renamed")


@dataclass(frozen=True)
class Strike:
    """Something happens to a rank: at its n-th moment, a named one, or, from outside, after a part of its time."""

    at: str | int | float
    act: Callable[[int, str], None]  # is given the process, and the moment
    rank: int = 0
    lasts: bool = False  # at each moment from then on

    @property
    def comes_from_outside(self) -> bool:
        return isinstance(self.at, float)


class Progress:
    """How far a process has come: others see it, also when it is gone."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 24)

    def note(self, moments: int, steps: int, struck_at: float) -> None:
        self.memory[:] = pack("qqd", moments, steps, struck_at)

    def read(self) -> tuple[int, int, float]:
        """How many moments it has reached, how many steps its optimizer has made, and when it was struck, or 0."""
        moments, steps, struck_at = unpack("qqd", self.memory[:])
        return moments, steps, struck_at


class Timeline:
    """The moments of this process, of files those in a folder; at one of them it is struck."""

    def __init__(self, folder: Path, progress: Progress, strike: Strike | None) -> None:
        self.folder = f"{folder}{os.sep}"
        self.progress, self.strike = progress, strike
        self.moments: list[str] = []
        self.steps = 0
        self.struck_at = 0.0

    def begin(self) -> None:
        """Watch until the process ends."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(self.count_step)
        sys.addaudithook(self.hear)
        fsync, replace, rename = os.fsync, os.replace, os.rename
        os.fsync = lambda file: (self.reach("fsync"), fsync(file))[-1]
        os.replace = lambda *paths: (
            replace(*paths),
            self.reach_file("renamed", paths[1]),
        )[0]
        os.rename = lambda *paths: (
            rename(*paths),
            self.reach_file("renamed", paths[1]),
        )[0]
        self.watch_writes()

    def watch_writes(self) -> None:
        """See what comes to the system, not what goes into a buffer."""
        reach_file = self.reach_file

        class WatchedFile(io.FileIO):
            def write(self, data: Any) -> int:
                """In two halves, as the system may do it."""
                data = memoryview(data).cast("B")
                reach_file("write", self.name)
                written = super().write(data[: len(data) // 2])
                reach_file("half", self.name)
                return written + super().write(data[written:])

            def truncate(self, size: int | None = None) -> int:
                reach_file("truncate", self.name)
                return super().truncate(size)

        for name in (
            "BufferedReader",
            "BufferedWriter",
            "BufferedRandom",
            "TextIOWrapper",
        ):
            setattr(_pyio, name, getattr(io, name))
        _pyio.FileIO = WatchedFile  # type: ignore[attr-defined]
        io.open = builtins.open = _pyio.open  # type: ignore[assignment]

    def count_step(self, *_: Any) -> None:
        self.steps += 1
        self.note()

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "model":
            self.reach(arguments[0])
        elif event == "open":
            self.reach_file(
                "open" if arguments[2] & (os.O_WRONLY | os.O_RDWR) else "read",
                arguments[0],
            )
        elif event in CHANGES:
            self.reach_file(event.removeprefix("os."), arguments[event == "os.symlink"])

    def reach_file(self, what: str, path: Any) -> None:
        if isinstance(path, str | os.PathLike):
            whole = os.path.abspath(path)
            if f"{whole}{os.sep}".startswith(self.folder):
                self.reach(f"{what} {whole.removeprefix(self.folder)}")

    def reach(self, moment: str) -> None:
        self.moments.append(moment)
        strikes = self.strike and self.strike.at in (moment, len(self.moments))
        if strikes and not self.struck_at:
            self.struck_at = time.monotonic()
        self.note()
        if self.strike and (strikes or (self.struck_at and self.strike.lasts)):
            self.strike.act(os.getpid(), moment)

    def note(self) -> None:
        self.progress.note(len(self.moments), self.steps, self.struck_at)
