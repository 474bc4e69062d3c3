"""Runs a test module's checks in two processes that are joined by gloo, and brings back what they returned."""

from __future__ import annotations

import importlib
import os
import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch.distributed as dist
import torch.multiprocessing as mp
from ddpgen.strategies.ranks import Ranks

PREFIX = "each_rank_"
TIMEOUT = timedelta(seconds=120)  # one rank may load its modules long after the other

Check = Callable[[Ranks], Any]


def run_checks(module: str, folder: Path) -> None:
    """Run the module's functions that are called `each_rank_…`, in their order, in one pair of processes."""
    # what failed stands in the check's own file, and its test shows it
    with suppress(mp.ProcessRaisedException, mp.ProcessExitedException):
        mp.spawn(_run_rank, (module, str(folder)), nprocs=2)


def outcome(folder: Path, check: Check) -> list[Any]:
    """What each of the two ranks returned. Raises AssertionError if one of them failed."""
    results = []
    for rank in range(2):
        path = _file(folder, check.__name__, rank)
        if not path.exists():
            raise AssertionError(
                f"{check.__name__} did not end on rank {rank}: a check before it failed or hung"
            )
        failure, result = pickle.loads(path.read_bytes())
        if failure:
            raise AssertionError(f"{check.__name__} failed on rank {rank}:\n{failure}")
        results.append(result)
    return results


def _run_rank(rank: int, module: str, folder: str) -> None:
    place = {"rank": rank, "world_size": 2}
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", timeout=TIMEOUT, **place)
    checks = importlib.import_module(module)
    os.chdir(folder)  # what checks write goes away with it
    for name, check in vars(checks).items():
        if name.startswith(PREFIX):
            _run_check(check, Ranks(rank, rank, world_size=2), Path(folder))
    if dist.is_initialized():
        dist.destroy_process_group()


def _run_check(check: Check, ranks: Ranks, folder: Path) -> None:
    failure, result = None, None
    try:
        result = check(ranks)
    except BaseException:  # SystemExit is no success either
        failure = traceback.format_exc()
    _file(folder, check.__name__, ranks.rank).write_bytes(pickle.dumps((failure, result)))
    if failure:  # the ranks are no longer in step
        raise SystemExit(1)


def _file(folder: Path, check: str, rank: int) -> Path:
    return folder / f"{check}.{rank}"
