"""Plays cases: a training is struck, once or several times, and goes on; what it leaves is that of one left alone."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from parity.differences import first_difference
from worlds import free_ports

from .cases import Case, prepared
from .faults import At, kill
from .scripts import left, steps_kept
from .timeline import Strike
from .training import RUN, Ended, Training


@dataclass
class Result:
    """What has become of a case, and what is wrong there."""

    struck: int = 0  # times
    killed: int = 0
    is_kept: bool = True  # what was saved, each time
    is_same: bool = True  # what is left in the end
    problems: list[str] = field(default_factory=list)


def played(cases: list[Case], folder: Path, jobs: int) -> Iterator[tuple[Case, Result]]:
    """All of them, so many at once."""
    gc.freeze()  # no child need go through all of torch
    # a process that is forked has the cases: functions cannot be sent to it
    with get_context("fork").Pool(jobs, take, (cases, folder)) as pool:
        yield from zip(cases, pool.imap(play_case, range(len(cases))), strict=True)


TAKEN: list[tuple[list[Case], Path, Iterator[int]]] = []


def take(cases: list[Case], folder: Path) -> None:
    """In a process that plays."""
    TAKEN[:] = [(cases, folder, free_ports())]


def play_case(number: int) -> Result:
    ((cases, folder, ports),) = TAKEN
    return play(cases[number], folder / f"case-{number}", ports)


def play(case: Case, folder: Path, ports: Iterator[int]) -> Result:
    """Strike, look at what is kept, go on, compare."""
    whole, result = case.unbroken, Result()
    training = prepared(whole.script, whole.file, whole.world, folder, ports)
    if case.stopped:
        shutil.copytree(case.stopped, training.folder / RUN)
    for at in case.points:
        (harm if case.fault.harm else strike)(case, training, at, result)
    if not case.fault.goes_on:
        finish(case, training, result)
    elif result.struck:
        compare(case, training, result)
    shutil.rmtree(folder)
    return result


def harm(case: Case, training: Training, at: At, result: Result) -> None:
    """Do it to a run that is stopped."""
    assert case.fault.harm
    case.fault.harm(training.folder / RUN / "last.ckpt", at)
    result.struck += 1


def strike(case: Case, training: Training, at: At, result: Result) -> None:
    """Train until the fault comes; it may come too late."""
    before = steps_kept(training.folder / RUN)
    strike = Strike(at, case.fault.act, case.rank, case.fault.lasts)
    ended = training.run(strike, case.unbroken.ended.seconds)
    if any(ended.codes) or ended.seconds_after:
        result.struck += 1
        result.killed += case.fault.act is kill
        look(case, training, ended, before, result)


def look(case: Case, training: Training, ended: Ended, before: int, result: Result) -> None:
    """How it has ended, and what it has lost."""
    fault = case.fault
    had_trained = before + ended.steps == case.unbroken.ended.steps
    if not fault.allows(ended.codes, case.rank, had_trained) or fault.says not in ended.said:
        result.problems.append(f"ends with {ended.codes}, saying\n{ended.said}")
    if ended.seconds_after > fault.seconds:
        result.problems.append(f"ends after {ended.seconds_after:.1f} seconds")
    try:
        lost = before + ended.steps - steps_kept(training.folder / RUN)
    except Exception as error:  # of whatever kind
        lost, problem = 0, f"what was saved cannot be read: {error}"
    else:
        problem = f"{lost} steps are lost"
    limit = case.unbroken.script.loses if fault.loses is None else fault.loses
    if lost > limit or problem.startswith("what"):
        result.is_kept = False
        result.problems.append(problem)


def finish(case: Case, training: Training, result: Result) -> None:
    """Go on to the end, or be refused what is there: with a sentence, and nothing is changed."""
    fault, run, there = case.fault, training.folder / RUN, training.folder / RUN / "last.ckpt"
    before = there.read_bytes() if fault.ends != "same" else b""
    ended = training.run()
    if not any(ended.codes) and fault.ends != "refused":
        compare(case, training, result)
        return
    is_said = set(ended.codes) == {1} and fault.says in ended.said and ended.said.count("\n") <= fault.lines
    is_left = fault.ends != "same" and there.read_bytes() == before and not (run.parent / "exploded").exists()
    result.is_same = is_said and is_left
    if not result.is_same:
        result.problems.append(f"does not go on: {ended.codes}\n{ended.said}")


def compare(case: Case, training: Training, result: Result) -> None:
    found, wanted = left(training.folder / RUN), case.unbroken.left
    for name in set(case.unbroken.script.leftovers) - wanted.keys():
        found.pop(name, None)
    difference = first_difference(wanted, found, "run")
    if case.fault.over_another and not difference:
        difference = first_difference(kept_whole(case), set_aside(training.folder / RUN), "earlier")
    if difference:
        result.is_same = False
        result.problems.append(difference)


def kept_whole(case: Case) -> list[bytes]:
    """What the run before has left."""
    assert case.stopped
    return sorted((case.stopped / name).read_bytes() for name in ("last.ckpt", "metrics.jsonl"))


def set_aside(run: Path) -> list[bytes]:
    """What each start has set aside; a start before it may have set aside a part."""
    return sorted(each.read_bytes() for each in run.glob("earlier/*/*") if each.name != "run-id")
