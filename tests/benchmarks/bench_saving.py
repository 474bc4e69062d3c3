"""How long a step stalls when a checkpoint is written in the background, as a share of one that it waits for.

    python tests/benchmarks/bench_saving.py --rounds 5

A model of 24 MiB with AdamW, so 72 MiB of state, trains on one thread. The stall of a save is how much longer the
next steps take, those in which a copy is made and written beside training included: all of it, not the call alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch
from ddpgen.strategies.checkpoints.background import background, write_in_background
from ddpgen.strategies.checkpoints.checkpoint import write_checkpoint
from torch import nn

WIDTH, LAYERS, BATCH = 1024, 6, 128
STEPS = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    model = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)))
    optimizer = torch.optim.AdamW(model.parameters())
    background().trains = True
    with TemporaryDirectory() as folder:
        path = Path(folder) / "last.ckpt"
        ways = {"waiting": write_checkpoint, "in the background": write_in_background}
        times: dict[str, list[float]] = {"neither": [], **{name: [] for name in ways}}
        calls: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds + 1):  # the first one warms up
            times["neither"].append(steps(model, optimizer))
            for name, write in ways.items():
                calls[name].append(saved(write, path, model, optimizer))
                times[name].append(calls[name][-1] + steps(model, optimizer))
                background().finish()
        size = path.stat().st_size / 2**20
    steady = median(times["neither"][1:])
    print(f"a step: {1000 * steady / STEPS:.1f} ms; a checkpoint: {size:.0f} MiB; medians of {rounds} rounds")
    stalls = {name: median(times[name][1:]) - steady for name in ways}
    for name, stall in stalls.items():
        called = median(calls[name][1:])
        print(f"{name}: the call {1000 * called:.1f} ms, {STEPS} steps {1000 * stall:.1f} ms longer")
    of_call = median(calls["in the background"][1:]) / median(calls["waiting"][1:])
    of_all = stalls["in the background"] / stalls["waiting"]
    print(f"share of the call: {of_call:.3f}; of all of the stall: {of_all:.3f}")


def steps(model: nn.Module, optimizer: torch.optim.Optimizer) -> float:
    """How long some steps take."""
    begun = time.perf_counter()
    for _ in range(STEPS):
        model(torch.randn(BATCH, WIDTH)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return time.perf_counter() - begun


def saved(
    write: Callable[[Path, Any], None], path: Path, model: nn.Module, optimizer: torch.optim.Optimizer
) -> float:
    """How long a call takes that saves a checkpoint."""
    begun = time.perf_counter()
    write(path, {"state_dict": model.state_dict(), "optimizer_states": [optimizer.state_dict()]})
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
