"""More than one checkpoint: where the last is damaged, a run goes on from the one before it."""

import errno
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..distributed.ranks import Ranks
from .background import background, group_of_writers
from .checkpoint import require_intact, write_checkpoint
from .randomness import gather_from_ranks
from .sharded_checkpoint import (
    await_ranks,
    file_in,
    is_first_rank,
    keeps_folders,
    remove_checkpoint,
    require_intact_tensors,
    write_shares,
)

OF_DAMAGE = errno.EINVAL, errno.EIO, errno.ENOENT


def kept_paths(last: Path, number: int) -> list[Path]:
    """Where the newest checkpoints are, the last one first."""
    ages = range(1, number)
    return [last, *(last.with_name(f"{last.stem}-{age}{last.suffix}") for age in ages)]


def put_first(new: Path, last: Path, number: int) -> None:
    """Give a checkpoint that is whole its name; those before it move on, and the oldest goes."""
    kept = kept_paths(last, number)
    free = next((path for path in kept if not path.exists()), kept[-1])
    remove_checkpoint(free)
    moved = kept[: kept.index(free) + 1]
    for newer, older in reversed([*pairwise(moved)]):
        newer.rename(older)
    new.rename(last)


def write_kept(last: Path, checkpoint: dict[str, Any], number: int) -> None:
    """Write a checkpoint, and keep as many of the newest."""
    new = last.with_name(f"{last.name}.new")
    write_checkpoint(new, checkpoint)
    put_first(new, last, number)


def write_kept_shares(
    last: Path, checkpoint: dict[str, Any], number: int, group: Any = None
) -> None:
    """The same of folders, to which all ranks write. Every rank calls this."""
    new = last.with_name(f"{last.name}.new")
    write_shares(new, checkpoint, group)
    if is_first_rank():
        put_first(new, last, number)
    await_ranks(group=group)


def write_kept_in_background(
    last: Path, checkpoint: dict[str, Any], number: int
) -> None:
    """The same while training goes on. Every rank calls this."""
    if keeps_folders():
        group = group_of_writers()
        background().write(write_kept_shares, last, checkpoint, number, group)
    elif is_first_rank():
        last.parent.mkdir(parents=True, exist_ok=True)
        background().write(write_kept, last, checkpoint, number)


def damage_of(path: Path, ranks: Ranks) -> str | OSError | None:
    """What is wrong with a checkpoint, of which each rank reads a part, or with reading; None: it is not there."""
    try:
        if not path.exists():
            return None
        require_intact(file_in(path) if keeps_folders() else path)
        if keeps_folders() and path.is_dir():
            require_intact_tensors(path, ranks)
    except Exception as error:  # noqa: BLE001  # a damaged file fails in many ways
        if isinstance(error, OSError) and error.errno not in OF_DAMAGE:
            return error
        return f"{path} is damaged: {error}"
    return ""


def newest_intact(last: Path, number: int, ranks: Ranks) -> Path:
    """The newest checkpoint in which no rank finds damage; those that have it stand aside. Every rank calls this."""
    damaged: dict[Path, str] = {}
    for path in kept_paths(last, number):
        found = gather_from_ranks(damage_of(path, ranks), ranks)
        if unread := [each for each in found if isinstance(each, OSError)]:
            raise SystemExit(f"cannot read {path}: {unread[0]}")
        if damage := next(filter(None, found), None):
            damaged[path] = damage
        elif "" in found:
            if path != last and ranks.rank == 0:
                reasons = "; ".join(damaged.values()) or f"{last} is missing"
                print(f"{reasons}; going on from {path}", flush=True)
                set_aside(*damaged)
            return path
    if damaged:
        raise SystemExit("; ".join(damaged.values()))
    return last


def set_aside(*paths: Path) -> None:
    """Have damaged checkpoints be in the way of none."""
    for path in paths:
        aside = path.with_name(f"{path.name}.damaged")
        remove_checkpoint(aside)
        path.rename(aside)
