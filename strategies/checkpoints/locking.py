"""A lock on a run's folder: no second job writes into it."""

import fcntl
import os
import socket
from pathlib import Path
from typing import Any

from ..distributed.ranks import Ranks
from .randomness import gather_from_ranks

LOCKS: dict[Path, Any] = {}


def lock_folder(out: Path, ranks: Ranks) -> None:
    """Refuse a folder in which another job trains. Every rank calls this."""
    problem = ""
    if ranks.rank == 0 and out.absolute() not in LOCKS:
        problem = take_lock(out)
    if problem := gather_from_ranks(problem, ranks)[0]:
        raise SystemExit(problem)


def take_lock(out: Path) -> str:
    """Lock a folder until this process ends, however it does; what is in the way of that."""
    holder = "another job"
    try:
        out.mkdir(parents=True, exist_ok=True)
        file = (out / "lock").open("a+")
        file.seek(0)
        holder = file.read() or holder
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # workers do not inherit it
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
    except BlockingIOError:
        return f"{out} is taken: {holder} trains there"
    except OSError as error:  # such as of a file system without locks
        return f"cannot lock {out}: {error}"
    LOCKS[out.absolute()] = file  # closed, it would be free
    return ""
