"""Three-way merges by git, which need no repository, and the marks that conflicts leave."""

from __future__ import annotations

import re
import subprocess
import tempfile
from enum import Enum
from pathlib import Path

YOURS = "yours"
GENERATED = "generated now"

_MARK = re.compile(r"(<<<<<<<|>>>>>>>) ")
_CONFLICT = re.compile(
    rf"^<<<<<<< {YOURS}\n(?P<ours>.*?)^=======\n(?P<theirs>.*?)^>>>>>>> {GENERATED}(?:\n|\Z)", re.M | re.S
)


class Side(Enum):
    """Whose lines are taken where the user's and today's differ."""

    OURS = "ours"
    THEIRS = "theirs"


class CannotMerge(Exception):
    """Git is not there, or refuses."""


def merge(base: str, yours: str, generated: str, side: Side | None = None) -> str:
    """What stands in `yours`, with what has changed from `base` to `generated`.

    Where they contradict each other, both stand between marks, or that of `side` alone. Raises CannotMerge, OSError.
    """
    if base in (yours, generated):
        return generated if base == yours else yours
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("base", base), ("yours", yours), ("generated", generated)):
            Path(folder, name).write_bytes(text.encode("utf-8", "surrogateescape"))
        return _git_merge(folder, [f"--{side.value}"] if side else [])


def _git_merge(folder: str, options: list[str]) -> str:
    command = ["git", "-c", "merge.conflictStyle=merge", "merge-file", "-p", "-q", *options]
    command += ["-L", YOURS, "-L", "generated before", "-L", GENERATED, "yours", "base", "generated"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except FileNotFoundError:
        raise CannotMerge("git is not installed") from None
    if not 0 <= done.returncode < 128:  # up to here it is the number of conflicts
        raise CannotMerge(f"git says: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode("utf-8", "surrogateescape")


def marks(text: str) -> list[int]:
    """The lines, from 1, in which conflicts start or end."""
    return [number for number, line in enumerate(text.split("\n"), 1) if _MARK.match(line)]


def unsettled(text: str, generated: str) -> list[int]:
    """The lines of `marks`, unless what was generated has such lines of its own."""
    return [] if marks(generated) else marks(text)


def conflicts(text: str) -> list[tuple[int, int]]:
    """Where a merge left both sides: the first and the last line of each, from 1."""
    found = []
    for match in _CONFLICT.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        found.append((first, first + match.group().rstrip("\n").count("\n")))
    return found


def settled(text: str, side: Side) -> str:
    """`text` with one side of each conflict, as far as the sides can be told apart."""
    return _CONFLICT.sub(lambda match: _chosen(match, side), text)


def _chosen(match: re.Match[str], side: Side) -> str:
    is_clear = not re.search(r"^=======$", match["theirs"], re.M)
    return match[side.value] if is_clear else match.group()
