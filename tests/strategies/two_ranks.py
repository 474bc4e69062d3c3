"""Runs the checks of test modules in two processes that are joined by gloo, and brings back what they returned."""

from __future__ import annotations

import importlib
import os
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch.distributed as dist
import torch.multiprocessing as mp
from ddpgen.strategies.distributed.ranks import Ranks

PREFIX = "each_rank_"
TIMEOUT = timedelta(seconds=120)  # one rank may load its modules long after the other

Check = Callable[[Ranks], Any]


def run_checks(modules: Sequence[str], folder: Path) -> None:
    """Run the modules' functions that are called `each_rank_…`, in their order, in one pair of processes."""
    # what failed stands in the check's own file, and its test shows it
    with suppress(mp.ProcessRaisedException, mp.ProcessExitedException):
        mp.spawn(_run_rank, (modules, folder), nprocs=2)


def outcome(folder: Path, check: Check) -> list[Any]:
    """What each of the two ranks returned. Raises AssertionError if one of them failed."""
    files = [_file(folder, check, rank) for rank in range(2)]
    ended = {rank: pickle.loads(file.read_bytes()) for rank, file in enumerate(files) if file.exists()}
    for rank, (failure, _) in ended.items():  # first, for it takes the other rank with it
        if failure:
            raise AssertionError(f"{check.__name__} failed on rank {rank}:\n{failure}")
    if len(ended) < len(files):
        raise AssertionError(f"{check.__name__} did not end on both ranks: a check before it failed or hung")
    return [result for _, result in ended.values()]


def _run_rank(rank: int, modules: Sequence[str], folder: Path) -> None:
    for name in modules:
        module, place = importlib.import_module(name), folder / name
        place.mkdir(exist_ok=True)
        os.chdir(place)  # what checks write goes away with it
        with patch.dict(os.environ), _process_group(rank, place):
            for check in (value for key, value in vars(module).items() if key.startswith(PREFIX)):
                _run_check(check, Ranks(rank, rank, world_size=2), folder)


@contextmanager
def _process_group(rank: int, folder: Path) -> Iterator[None]:
    """A module's own; a check may end it and make another."""
    store = f"file://{folder}/store"
    dist.init_process_group("gloo", init_method=store, timeout=TIMEOUT, rank=rank, world_size=2)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def _run_check(check: Check, ranks: Ranks, folder: Path) -> None:
    failure, result = None, None
    try:
        result = check(ranks)
    except BaseException:  # SystemExit is no success either
        failure = traceback.format_exc()
    _file(folder, check, ranks.rank).write_bytes(pickle.dumps((failure, result)))
    if failure:  # the ranks are no longer in step
        raise SystemExit(1)


def _file(folder: Path, check: Check, rank: int) -> Path:
    return folder / f"{check.__module__}.{check.__name__}.{rank}"
