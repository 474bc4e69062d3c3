"""The device of a rank and its way into the process group."""

from datetime import timedelta
from importlib import import_module

import torch
import torch.distributed as dist

from .ranks import Ranks


def local_device(ranks: Ranks) -> torch.device:
    """This process's GPU, or the CPU where there is none."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    if ranks.local_rank >= torch.cuda.device_count():
        raise SystemExit(f"no GPU for local rank {ranks.local_rank} on this node")
    torch.cuda.set_device(ranks.local_rank)
    return torch.device("cuda", ranks.local_rank)


def join_process_group(device: torch.device, backend: str, timeout: timedelta) -> None:
    """Meet the other ranks at the address that torchrun gave. Every rank calls this."""
    import_module("torch.distributed.nn")  # later, its defaults would hold the group
    device_id = device if device.type == "cuda" else None
    try:
        dist.init_process_group(backend, timeout=timeout, device_id=device_id)
    except (RuntimeError, ValueError) as error:  # such as an address in use
        raise SystemExit(f"cannot join the process group: {error}") from None


def wait_for_ranks() -> None:
    """Wait for the others, however long a download takes. Every rank calls this."""
    if dist.is_initialized():
        patient = dist.new_group(backend="gloo", timeout=timedelta(days=1))
        dist.barrier(patient)
        dist.destroy_process_group(patient)
