"""The device of a rank and its way into the process group."""

import atexit
import os
from datetime import timedelta
from importlib import import_module
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_store

from .ranks import Ranks


def local_device(ranks: Ranks, kind: str | None = None) -> torch.device:
    """This process's accelerator, or the CPU where there is none."""
    if kind == "cpu":
        return torch.device("cpu")
    found = torch.accelerator.current_accelerator(check_available=True)
    if kind is not None and (found is None or found.type != kind):
        raise SystemExit(f"this machine has no {kind} device")
    if found is None or (found.type == "mps" and ranks.world_size > 1):
        return torch.device("cpu")  # MPS has no collectives
    if ranks.local_rank >= torch.accelerator.device_count():
        raise SystemExit(f"no GPU for local rank {ranks.local_rank} on this node")
    torch.accelerator.set_device_index(ranks.local_rank)
    return torch.device(found.type, ranks.local_rank)


def kind_of(accelerator: str | None) -> str | None:
    """The kind of device that Lightning's name for it asks for; None: any."""
    if accelerator in ("auto", "gpu", None):
        return None
    if accelerator not in ("cpu", "cuda", "mps", "xpu"):
        raise SystemExit(f"this script does not train on {accelerator}")
    return accelerator


def join_process_group(device: torch.device, backend: str, timeout: timedelta) -> None:
    """Meet the other ranks at the address that torchrun gave. Every rank calls this."""
    import_module("torch.distributed.nn")  # later, its defaults would hold the group
    stores: Any = dist
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    device_id = device if device.type == "cuda" else None
    try:
        store, rank, size = next(stores.rendezvous("env://", timeout=timeout))
        store = stores.PrefixStore(attempt, store)  # it outlives ranks that fail
        place = {"store": store, "rank": rank, "world_size": size}
        dist.init_process_group(backend, timeout=timeout, device_id=device_id, **place)
    except (RuntimeError, ValueError) as error:  # such as an address in use
        raise SystemExit(f"cannot join the process group: {error}") from None


def own_store(ranks: Ranks) -> Any:
    """What all ranks look into, by a connection of its own: what waits in it holds up no other."""
    stores: Any = dist
    shared: Any = _get_default_store() if ranks.world_size > 1 else None
    return shared.clone() if shared else stores.HashStore()


def join_alone(device: torch.device) -> None:
    """Have a process without others be a group, too, where that decides how it computes."""
    if not dist.is_initialized():
        stores: Any = dist
        alone: Any = {"store": stores.HashStore(), "rank": 0, "world_size": 1}
        dist.init_process_group(backend_beside_cpu(device), **alone)
        atexit.register(leave_process_group)


def leave_process_group() -> None:
    """Leave the others, where code has not done so before."""
    if dist.is_initialized():
        dist.destroy_process_group()


def backend_beside_cpu(device: torch.device, backend: str | None = None) -> str:
    """What carries what is on the device, and on the CPU."""
    own = backend or dist.get_default_backend_for_device(device)
    return own if device.type == "cpu" else f"cpu:gloo,{device.type}:{own}"


def neighbours(size: int) -> Any:
    """The group of `size` successive ranks that has this one. Every rank calls this."""
    if dist.get_world_size() % size:
        raise SystemExit(f"the ranks cannot be divided into groups of {size}")
    divide: Any = dist.new_subgroups
    subgroup, _ = divide(size)
    return subgroup


def wait_for_ranks() -> None:
    """Wait for the others, however long a download takes. Every rank calls this."""
    if dist.is_initialized():
        patient = dist.new_group(backend="gloo", timeout=timedelta(days=1))
        dist.barrier(patient)
        dist.destroy_process_group(patient)
