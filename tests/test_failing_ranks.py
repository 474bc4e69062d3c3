"""A rank that fails, or hangs, ends the job; the cause is told once, and no rank outlives torchrun (13.3)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from ddpgen.strategies.failures.hanging import behind_of
from worlds import Runs, environment, ran

SPEC = "model: Net\ndata: Data\ntrainer: {max_epochs: 2}\nfailures: "

SECONDS = 20
"""In which a job ends: two to four on a machine that does nothing else, most of them Python's for its own end."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(Path(__file__).with_name("failing"), tmp_path_factory.mktemp("failing"))
    runs.build("watched", f"{SPEC}{{hang_timeout: 15s}}")
    runs.build("ending", f"{SPEC}true")
    return runs


class Launched(NamedTuple):
    """torchrun with two ranks, which is started once more for each but the last way to fail."""

    process: subprocess.Popen[bytes]
    failed_at: Path

    def until_failed(self) -> float:
        """When the last rank failed that was to."""
        until = time.monotonic() + 60
        while not self.failed_at.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return float(self.failed_at.read_text())


def launched(runs: Runs, name: str, failing: str) -> Launched:
    failed_at = runs / f"{name}-failed"
    outer = {**environment(0, 1), "OMP_NUM_THREADS": "1", "FAILING": failing, "FAILED_AT": str(failed_at)}
    options = ["--nproc-per-node=2", "--standalone", f"--max-restarts={failing.count(',')}"]
    launch = [sys.executable, "-m", "torch.distributed.run", *options, "--log-dir", str(runs / "logs")]
    script = [str(runs / f"train_{name}.py"), "--out", str(runs / name)]
    with (runs / f"{name}.txt").open("w") as log:
        process = subprocess.Popen([*launch, *script], stdout=log, stderr=log, env=outer)
    return Launched(process, failed_at)


class Said(NamedTuple):
    """What each attempt said, the files in which ranks gave a cause, and how long the last took to end."""

    attempts: list[list[str]]
    causes: dict[str, str]
    seconds: float


@pytest.fixture(scope="module")
def said(runs: Runs) -> Said:
    job = launched(runs, "watched", "saving exit,training hang,validating raise")
    assert job.process.wait(150) == 1
    seconds = time.time() - job.until_failed()
    text = (runs / "watched.txt").read_text()
    attempts: list[list[str]] = [[]]
    for line in text.splitlines():
        attempts[-1].append(line)
        if "failed (exitcode: " in line:
            attempts.append([])
    files = (runs / "logs").rglob("error.json")
    causes = {f"{file.parts[-3]}/{file.parts[-2]}": json.loads(file.read_text()) for file in files}
    return Said(attempts, {name: each["message"]["message"] for name, each in causes.items()}, seconds)


@pytest.mark.processes
def test_a_failure_is_told_once_and_named_by_torchrun(said: Said, runs: Runs) -> None:
    script = (runs / "train_watched.py").read_text().splitlines()
    line = script.index('        raise ValueError("no such batch")') + 1
    cause = f"ValueError: no such batch (train_watched.py:{line} in fail)"
    assert said.causes.pop("attempt_2/1") == cause
    *_, raising, summary = said.attempts
    ours = [each for each in raising if each.startswith("[rank")]
    assert len(ours) <= 25, raising  # of which 21 are the traceback through the script
    (told,) = [each for each in ours if each.startswith("[rank0]")]
    assert told.startswith("[rank0]: stopped at train_watched.py:")
    assert told.endswith(f" by [rank1]: {cause}")
    assert sum("Traceback" in each for each in ours) == 1
    assert [each for each in ours if "/torch/" in each] == [], "torch's own lines are left out"
    assert f"  traceback : {cause}" in summary
    assert "  <NO_OTHER_FAILURES>" in summary
    assert "  rank      : 1 (local_rank: 1)" in summary
    assert said.seconds < SECONDS


@pytest.mark.processes
def test_a_rank_that_is_gone_costs_the_others_a_line_at_most(said: Said) -> None:
    """None, where torchrun ends them before they notice."""
    ours = [each for each in said.attempts[0] if each.startswith("[rank")]
    assert len(ours) <= 1
    assert not any("Traceback" in each for each in said.attempts[0])
    assert all(each.endswith(" by the loss of another rank") for each in ours)
    assert not any(name.startswith("attempt_0") for name in said.causes)


@pytest.mark.processes
def test_ranks_that_hang_say_where(said: Said) -> None:
    first, waiting, behind = said.causes["attempt_1/1"].splitlines()
    assert first == "no batch for 15 seconds: rank 1 is behind"
    assert waiting.startswith("rank 0: after 5 batches at train_watched.py:")
    assert ", waits in gloo:all_reduce " in waiting
    assert behind.startswith("rank 1: after 5 batches at train_watched.py:")
    assert behind.endswith(" in fail")
    stacks = "\n".join(said.attempts[1])
    assert stacks.count(" in training_step\n") == 1
    assert stacks.count(" in _engine_run_backward\n") == 1


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="other kernels tell no process that its parent has ended")
def test_no_rank_outlives_torchrun(runs: Runs) -> None:
    job = launched(runs, "ending", "training hang")
    job.until_failed()
    own = job.process.pid
    ranks = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    assert len(list(alive(ranks))) == 2
    job.process.kill()
    job.process.wait()
    until = time.monotonic() + SECONDS
    while list(alive(ranks)) and time.monotonic() < until:
        time.sleep(0.05)
    left = list(alive(ranks))
    for rank in left:
        os.kill(int(rank), 9)
    assert left == []


def alive(processes: list[str]) -> Iterator[str]:
    """Those that have not ended."""
    for each in processes:
        status = Path(f"/proc/{each}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
            yield each


def test_who_is_behind() -> None:
    at, waits = "train.py:5 in fit", "train.py:9 in fit, waits in gloo:all_reduce 7"
    behind, told = behind_of([[3, 7, waits], [3, 6, at], [3, 7, waits]], asking=0)
    assert behind == 1
    assert told.splitlines() == [
        "rank 1 is behind",
        f"rank 0, 2: after 3 batches at {waits}",
        f"rank 1: after 3 batches at {at}",
    ]
    behind, told = behind_of([[3, 7, at], [2, 9, at]], asking=0)
    assert (behind, told.splitlines()[0]) == (1, "rank 1 is behind")
    behind, told = behind_of([[3, 7, at], None], asking=0)  # which cannot tell it itself
    assert behind == 0
    assert told.splitlines()[::2] == ["rank 1 is behind", "rank 1: does not answer"]
    behind, told = behind_of([[3, 7, at], [3, 7, at]], asking=1)
    assert told.splitlines() == ["no rank is behind another", f"rank 0, 1: after 3 batches at {at}"]


ALONE = """
import os, re, sys, threading, time
import torch.distributed as dist
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.failures import causes, hanging
causes.PATIENCE = 0.1
ranks, store = Ranks(0, 0, 2), dist.HashStore()
"""

TOLD = """
try:
    raise {error}
except BaseException:  # as Python does when nothing else has
    causes.tell_failure(ranks, store, *sys.exc_info())
"""


def alone(code: str, folder: Path) -> tuple[int, list[str]]:
    """How a process ends, and what it says."""
    program = folder / "alone.py"
    program.write_text(ALONE + code)
    ended, said = ran(program, folder=folder)
    return ended, said.splitlines()


WATCHED = "hanging.hang_watch().begin(Ranks(0, 0, 1), 0.3)\n"


def test_a_process_without_others_that_hangs_says_where(tmp_path: Path) -> None:
    code, said = alone(f"{WATCHED}time.sleep(30)", tmp_path)
    assert code == 1
    *_, first, last = said
    assert first == "[rank0]: no batch for 0.3 seconds: no rank is behind another"
    assert last == "[rank0]: rank 0: after 1 batches at alone.py:9 in <module>"


def test_code_that_lets_no_other_thread_run_is_ended_from_c(tmp_path: Path) -> None:
    code, said = alone(f"{WATCHED}time.sleep(0.2); re.match('(a+)+b', 'a' * 60)", tmp_path)
    assert code == 1
    assert said[0].startswith("Timeout (0:00:00.3")
    assert any(line.endswith('alone.py", line 9 in <module>') for line in said)


def test_a_watch_that_has_ended_lets_all_take_its_time(tmp_path: Path) -> None:
    code = "@hanging.watching()\ndef fit():\n    " + WATCHED + "fit(); time.sleep(0.6); print('done')"
    assert alone(code, tmp_path) == (0, ["done"])


def test_a_rank_that_no_launcher_ends_tells_its_own_failure(tmp_path: Path) -> None:
    """Where another has failed before."""
    earlier = "store.set('failed', '[rank1]: gone')"
    _, said = alone(earlier + TOLD.format(error="ValueError('mine')"), tmp_path)
    assert said[0] == "[rank0]: stopped at alone.py:10 in <module> by [rank1]: gone"
    assert said[-1] == "[rank0]: ValueError: mine"


def test_a_lost_connection_is_none_of_a_ranks_own_failures(tmp_path: Path) -> None:
    """Unless no launcher ends it."""
    error = "RuntimeError('[/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer')"
    _, said = alone(TOLD.format(error=error), tmp_path)
    assert said[0] == "[rank0]: stopped at alone.py:10 in <module> by the loss of another rank"
    assert said[-1].endswith("Connection closed by peer")


def test_a_rank_that_waits_ends_with_one_of_another_node(tmp_path: Path) -> None:
    watch = (
        "threading.Thread(target=causes.end_with_others, args=(ranks, store, threading.Event())).start()\n"
    )
    code, said = alone(f"store.set('failed', '[rank1]: gone')\n{watch}time.sleep(30)", tmp_path)
    assert (code, said) == (1, ["[rank0]: stopped by [rank1]: gone"])


def test_an_interrupted_rank_says_so_in_a_line(tmp_path: Path) -> None:
    _, said = alone(TOLD.format(error="KeyboardInterrupt"), tmp_path)
    assert said == ["[rank0]: interrupted at alone.py:10 in <module>"]
