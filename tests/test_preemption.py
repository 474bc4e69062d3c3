"""A run that is told to leave saves after the step at hand, on all ranks, and goes on there (13.2, D9, D13)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from parity.differences import first_difference
from test_within_epoch import SOURCES, add_job
from worlds import Runs, environment, nameless, ran, run

SPECS = {
    "plain": "preemption: true",
    "accumulated": """trainer: {accumulate_grad_batches: 2}
checkpoint: {every_n_steps: 4, every: 0.01, async: true}
preemption: {signals: [SIGUSR1, SIGTERM], exit_code: 7, requeue: true}""",
}

TOLD = {
    "one": (2, "plain", "0:4 SIGTERM 1", 5),
    "all": (2, "plain", "1:0 SIGUSR1 01", 12),
    "last": (2, "plain", "0:10 SIGINT 0", 11),
    "validating": (2, "plain", "validating-0 SIGTERM 1", 12),
    "saving": (2, "accumulated", "saving-0 SIGUSR1 0", 5),
    "within": (2, "accumulated", "0:2 SIGTERM 1", 2),
    "alone": (1, "accumulated", "1:6 SIGTERM 0", 15),
}
"""Each with its world, its spec, where which ranks are told by what, and the step after which they leave."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    for name, spec in SPECS.items():
        common = "seed_everything: 3\nmodel: Net\ndata: Data"
        limits = spec if "trainer" in spec else f"trainer: {{}}\n{spec}"
        limits = limits.replace("trainer: {", "trainer: {max_epochs: 2, ").replace(", }", "}")
        runs.build(name, f"{common}\n{limits}")
    for world in (1, 2):
        for name in sorted({spec for count, spec, _, _ in TOLD.values() if count == world}):
            add_job(runs, name, f"whole-{name}-{world}", f"whole-{name}-{world}", {})
        for case, (count, name, told, _) in TOLD.items():
            if count == world:
                add_job(runs, name, case, f"{case}-told", {"TOLD": told})
                add_job(runs, name, case, f"{case}-again", {})
        run(runs.folder, runs.jobs, world)
        runs.jobs.clear()
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("case", TOLD)
def test_all_ranks_leave_after_the_same_step_and_go_on_there(case: str, trained: Runs) -> None:
    world, name, told, step = TOLD[case]
    assert not (trained / f"{case}-again.log").exists(), (trained / f"{case}-again.log").read_text()
    left = (trained / f"{case}-told.log").read_text()
    assert left.count("SystemExit: ") == world, left
    assert left.count(f"SystemExit: {7 if name == 'accumulated' else 143}\n") == world, left
    said = f"{told.split()[1]} after step {step}: saved {trained / case / 'last.ckpt'}\n"
    assert (trained / f"{case}-told.txt").read_text().endswith(said)
    folders = [trained / f"whole-{name}-{world}", trained / case]
    loaded = [nameless(torch.load(each / "last.ckpt")) for each in folders]
    assert not (difference := first_difference(*loaded, "checkpoint")), difference
    rows = [(each / "metrics.jsonl").read_text() for each in folders]
    assert rows[0] == rows[1]


@pytest.mark.processes
def test_the_launcher_is_told(trained: Runs) -> None:
    """And tells its ranks, and the workers of their loaders."""
    script = str(trained / "train_plain.py")
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone"]
    options = ["--max-epochs", "100000", "--workers", "2", "--out", str(trained / "launched")]
    log = trained / "launched.txt"
    with log.open("w") as file:
        outer = {**environment(0, 1), "OMP_NUM_THREADS": "1"}
        launcher = subprocess.Popen([*launch, script, *options], stdout=file, stderr=file, env=outer)
        rows, until = trained / "launched/metrics.jsonl", time.monotonic() + 60
        while not (rows.exists() and rows.stat().st_size) and time.monotonic() < until:
            time.sleep(0.1)
        launcher.terminate()
        launcher.wait(30)
    assert "SIGTERM after step " in log.read_text()
    assert torch.load(trained / "launched/last.ckpt")["places"] is not None


LATE = """
import os, runpy, signal, sys, threading, time
import torch

def save(*arguments, write=torch.save):
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGTERM)).start()
    time.sleep(0.8)
    write(*arguments)

torch.save = save
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""


@pytest.mark.processes
def test_it_is_told_while_the_last_checkpoint_is_written_after_training(tmp_path: Path) -> None:
    """Which is whole then: until it is, signals do not end the process."""
    runs, late = Runs(SOURCES, tmp_path / "runs"), tmp_path / "late.py"
    limits = "trainer: {max_epochs: 1}\ncheckpoint: {async: true}\npreemption: true"
    runs.build("late", f"seed_everything: 3\nmodel: Net\ndata: Data\n{limits}")
    late.write_text(LATE)
    code, said = ran(late, runs / "train_late.py", "--out", runs / "out", folder=runs.folder)
    assert code == 0, said
    assert torch.load(runs / "out/last.ckpt")["epoch"] == 0


ALONE = """
import os, signal, sys, time
from ddpgen.strategies.checkpoints.appointments import Appointments, requeue
from ddpgen.strategies.distributed.ranks import Ranks
appointments = Appointments(Ranks(0, 0, 1), ["SIGINT", "SIGTERM"], float(sys.argv[1]), 143)
"""


def alone(code: str, grace: str, folder: Path) -> tuple[int, str]:
    """How a process of a world of its own ends, and what it says."""
    program = folder / "alone.py"
    program.write_text(ALONE + code)
    return ran(program, grace, folder=folder)


def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    """But not one that a launcher hands on."""
    twice = """
os.kill(os.getpid(), signal.SIGINT); time.sleep(0.2); os.kill(os.getpid(), signal.SIGINT); time.sleep(1.2)
print("is due", appointments.is_due(), flush=True); os.kill(os.getpid(), signal.SIGINT); time.sleep(5)
"""
    assert alone(twice, "30", tmp_path) == (130, "is due True\n")


def test_it_leaves_without_saving_where_no_step_ends(tmp_path: Path) -> None:
    endless = "os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)"
    said = "no step has ended within 0.3 seconds: left without saving\n"
    assert alone(endless, "0.3", tmp_path) == (143, said)


def test_a_run_that_is_over_leaves_signals_alone(tmp_path: Path) -> None:
    after = "appointments.end(); assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL; print(os.getpid() > 0)"
    assert alone(after, "30", tmp_path) == (0, "True\n")


def test_slurm_is_asked_to_start_the_job_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddpgen.strategies.checkpoints.appointments import requeue

    program = tmp_path / "scontrol"
    program.write_text(f"#!/bin/sh\necho $* >> {tmp_path}/said\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    requeue()
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    requeue()
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "4")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    requeue()
    assert (tmp_path / "said").read_text() == "requeue 5\nrequeue 4_1\n"
