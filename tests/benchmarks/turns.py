"""Time per step of the tiny model where others use the machine too: the sides take turns, in one process.

    python tests/benchmarks/turns.py
    python tests/benchmarks/turns.py --turns 2000

A turn is a few steps, so that whatever slows the machine down slows all sides alike; the clock is the thread's own.
Ratios are medians, over turns, of a side's time by that of the loop written by hand in the same round.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from threading import Semaphore, Thread, current_thread
from typing import cast

import by_hand
import torch
from bench import LOG_EVERY, WORKLOADS
from torch.optim.optimizer import register_optimizer_step_post_hook

TINY = next(workload for workload in WORKLOADS if workload.name == "tiny")
STEPS = 24  # of a turn
WARM_UP = 4  # of them, until a side's code and data are in the caches again
LOG = '        self.log("train_loss", loss, on_step=True, on_epoch=True)\n'


class Side(Thread):
    """A training loop that goes on for a turn when it is told to."""

    def __init__(self, name: str, train: Callable[[], None]) -> None:
        super().__init__(name=name, daemon=True)
        self.train = train
        self.seconds_per_step: list[float] = []  # of each turn
        self.times: list[float] = []
        self.go, self.done = Semaphore(0), Semaphore(0)

    def run(self) -> None:
        self.go.acquire()
        self.train()

    def take_turn(self) -> None:
        self.go.release()
        self.done.acquire()

    def note_step(self) -> None:
        self.times.append(time.thread_time())
        if len(self.times) == STEPS:
            steps = sorted(end - start for start, end in pairwise(self.times[WARM_UP:]))
            self.seconds_per_step.append(fmean(steps[: len(steps) * 3 // 4]))  # without interruptions
            self.times.clear()
            self.done.release()
            self.go.acquire()


def script_side(name: str, model: Path, options: list[str], folder: Path) -> Side:
    """A side that runs the script which is built from `model`."""
    folder.mkdir()
    spec, script = folder / "ddp.yaml", folder / "train.py"
    spec.write_text(TINY.spec(fused=False))
    command = [
        sys.executable,
        "-m",
        "ddpgen",
        "build",
        str(model),
        "--strategy",
        str(spec),
        "-o",
        str(script),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def train() -> None:
        spec = importlib.util.spec_from_file_location(f"script_of_{folder.name}", script)
        assert spec
        assert spec.loader
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.argv = [str(script), *options, "--out", str(folder / "run")]
        module.main()

    return Side(name, train)


def sides_of(rows: int, folder: Path) -> list[Side]:
    loop = partial(by_hand.main, TINY.name, rows, 1, LOG_EVERY)
    options = ["--rows", str(rows)]
    silent = folder / "silent.py"
    silent.write_text(TINY.model.read_text().replace(LOG, ""))
    return [
        Side("by hand", partial(loop, folder / "by_hand.jsonl")),
        Side("by hand, again", partial(loop, folder / "again.jsonl")),
        Side(
            "by hand, keeping values as Lightning does",
            partial(loop, folder / "kept.jsonl", keeps_values=True),
        ),
        script_side("generated", TINY.model, options, folder / "logging"),
        script_side("generated, without self.log", silent, options, folder / "silent"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=1000)
    turns = parser.parse_args().turns
    torch.set_num_threads(1)
    register_optimizer_step_post_hook(lambda *_: cast(Side, current_thread()).note_step())
    with tempfile.TemporaryDirectory() as name:
        sides = sides_of(16 * STEPS * (turns + 1), Path(name))  # one epoch, whose end is never reached
        for side in sides:
            side.start()
        for _ in range(turns):
            for side in random.sample(sides, len(sides)):
                side.take_turn()
    print("| side | µs per step | ratio |\n|---|--:|--:|")
    for side in sides:
        pairs = zip(side.seconds_per_step, sides[0].seconds_per_step, strict=True)
        ratio = median(one / other for one, other in pairs)
        print(f"| {side.name} | {median(side.seconds_per_step) * 1e6:,.0f} | {ratio:.3f} |")


if __name__ == "__main__":
    main()
