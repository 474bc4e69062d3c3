"""A folder is one job's, until that ends."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from ddpgen.strategies.checkpoints import locking
from ddpgen.strategies.distributed.ranks import Ranks

ALONE = Ranks(0, 0, 1)


def another_job(out: Path) -> tuple[int, int]:
    """One that trains there, and a worker of its, which outlives it until the pipe is closed."""
    (told, tell), (waiting, end) = os.pipe(), os.pipe()
    if not (job := os.fork()):
        os.close(end)
        locking.lock_folder(out, ALONE)
        if os.fork():
            os.write(tell, b"!")
            time.sleep(60)
        os.read(waiting, 1)
        os._exit(0)
    os.read(told, 1)
    return job, end


def test_a_second_job_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    """Also where that was killed, and its workers are still there: its file is, too."""
    job, end = another_job(tmp_path / "out")
    try:
        for _ in range(2):
            with pytest.raises(SystemExit) as stop:
                locking.lock_folder(tmp_path / "out", ALONE)
            told = f"process {job} on {socket.gethostname()} trains there"
            assert str(stop.value) == f"{tmp_path / 'out'} is taken: {told}"
    finally:
        os.kill(job, signal.SIGKILL)
        os.waitpid(job, 0)
    assert f"process {job} " in (tmp_path / "out/lock").read_text()
    locking.lock_folder(tmp_path / "out", ALONE)
    os.close(end)
    assert f"process {os.getpid()} " in (tmp_path / "out/lock").read_text()
    locking.lock_folder(tmp_path / "out", ALONE)  # the same process trains again


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: Any) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "lockf", without)
    with pytest.raises(SystemExit, match=r"cannot lock .*: \[Errno 38\] Function not implemented"):
        locking.lock_folder(tmp_path, ALONE)
