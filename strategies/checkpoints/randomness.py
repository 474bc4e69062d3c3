"""Seeds and random states."""

import importlib
import importlib.util
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ..distributed.ranks import Ranks


def seed_everything(seed: int) -> None:
    if imports_later():
        import_drawing()
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def imports_later() -> bool:
    """Whether functions import packages, when the seed has been set."""
    return True


def import_drawing() -> None:
    """Import what draws a random number as it is imported."""
    with suppress(
        ImportError
    ):  # which other packages import, and Lightning before them
        importlib.import_module("rich.style")


def seed_run(seed: int) -> int:
    """Seed this process, and keep the seed in the environment, where the samplers find it."""
    os.environ["PL_GLOBAL_SEED"] = str(seed)
    seed_everything(seed)
    return seed


def seed_with_workers(seed: int, workers: bool = False) -> int:
    """Seed this process, and note in the environment whether loaders' workers are seeded, too."""
    os.environ["PL_SEED_WORKERS"] = str(int(workers))
    return seed_run(seed)


def global_seed() -> int:
    """The seed that `seed_run` left; 0 where it was not called."""
    return int(os.environ.get("PL_GLOBAL_SEED", "0"))


def given_seed(seed: int | str | None) -> int:
    """The seed, as a number; the environment's where there is none."""
    return global_seed() if seed is None else int(seed)


def reseed() -> None:
    """Seed again, if the run has a seed: every rank draws the same dropout masks."""
    if "PL_GLOBAL_SEED" in os.environ:
        seed_everything(global_seed())


def be_deterministic(mode: bool | str | None) -> None:
    """Have torch use deterministic algorithms; where it has none, an error, or a warning for "warn"."""
    if mode:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True, warn_only=mode == "warn")
        torch.backends.cudnn.benchmark = False


def rng_state() -> dict[str, Any]:
    """This process's random state, in plain values and tensors."""
    numpy_state: Any = np.random.get_state()
    has_device = torch.accelerator.is_available()
    return {
        "python": random.getstate(),
        "numpy": (numpy_state[0], numpy_state[1].tolist(), *numpy_state[2:]),
        "torch": torch.get_rng_state(),
        "device": torch.get_device_module().get_rng_state() if has_device else None,
    }


def set_rng_state(state: dict[str, Any]) -> None:
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    torch.set_rng_state(state["torch"])
    if state["device"] is not None and torch.accelerator.is_available():
        torch.get_device_module().set_rng_state(state["device"])


@contextmanager
def isolate_rng(include_cuda: bool = True) -> Iterator[None]:
    """Random states are afterwards as before; those of CUDA devices too, if so wanted."""
    python, numpy_state = random.getstate(), np.random.get_state()
    torch_state = torch.get_rng_state()
    has_cuda = include_cuda and torch.cuda.is_available()
    of_devices = torch.cuda.get_rng_state_all() if has_cuda else []
    yield
    torch.set_rng_state(torch_state)
    torch.cuda.set_rng_state_all(of_devices)
    np.random.set_state(numpy_state)
    random.setstate(python)


def gather_from_ranks(state: Any, ranks: Ranks) -> list[Any]:
    """Every rank's `state`. Every rank calls this."""
    states = [state] * ranks.world_size
    if ranks.world_size > 1:
        dist.all_gather_object(states, state)
    return states


def seed_worker(worker_id: int, rank: int) -> None:
    """Give each rank's each loader worker random numbers of its own, the ones that Lightning gives it."""
    base_seed = torch.initial_seed() - worker_id
    first, second, third = mixed_seeds(
        (base_seed << 32) | (worker_id << 16) | rank, count=3
    )
    torch.manual_seed(first)
    random.seed((second << 32) | third)
    np.random.seed(
        np.random.SeedSequence([base_seed, worker_id, rank]).generate_state(4)
    )


def mixed_seeds(seed: int, count: int) -> list[int]:
    """`count` 64-bit seeds: MurmurHash3's finalizer, then steps of Knuth's linear congruential generator."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        seed = (seed ^ (seed >> 33)) * factor % 2**64
    seed ^= seed >> 33
    seeds = []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1) % 2**64
        seeds.append(seed)
    return seeds
