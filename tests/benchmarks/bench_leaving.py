"""What a step costs more where all ranks would leave after the same one, once told to, or save when it is time.

    python tests/benchmarks/bench_leaving.py --rounds 20

Two ranks train a tiny model with DistributedDataParallel on gloo, in turns with `preemption`,
with `checkpoint.every` and without; "without, again" shows the noise.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from ddpgen.strategies.checkpoints.appointments import Agreement, Appointments, SharedClock
from ddpgen.strategies.distributed.ranks import Ranks
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29653", "OMP_NUM_THREADS": "1"}
    mp.spawn(train, (parser.parse_args().rounds,), 2)


def train(rank: int, rounds: int) -> None:
    """One rank; the first prints the medians."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    times: dict[str, list[float]] = {"without": [], "preemption": [], "every": [], "without, again": []}
    for turn in range(rounds + 1):  # the first one warms up
        for name, found in times.items():
            agreement = agreed(name, Ranks(rank, rank, 2))
            took = steps(model, optimizer, agreement.is_due if agreement else None)
            found += [took] if turn else []
            if agreement:
                agreement.end()
    if rank == 0:
        base = median(times["without"])
        for name, found in times.items():
            print(f"{name}: {1e6 * median(found):.1f} µs a step, {median(found) / base:.4f}")
    dist.barrier()
    dist.destroy_process_group()


def agreed(name: str, ranks: Ranks) -> Agreement | None:
    """What ranks agree by; None: they do not."""
    if name == "preemption":
        return Appointments(ranks, ["SIGTERM"], 30, 143)
    return SharedClock(ranks, 600) if name == "every" else None


def steps(model: nn.Module, optimizer: torch.optim.Optimizer, is_due: Callable[[], bool] | None) -> float:
    """How long a step takes, on average of some."""
    batch = torch.ones(4, 8)
    dist.barrier()
    begun = time.perf_counter()
    for _ in range(STEPS):
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if is_due is not None and is_due():
            break
    return (time.perf_counter() - begun) / STEPS


if __name__ == "__main__":
    main()
