"""What each rank runs on, for whoever looks for what differs among them."""

import os
import platform
import re
import socket
from typing import Any

import torch
import torch.distributed as dist

from ..checkpoints.randomness import gather_from_ranks
from .ranks import Ranks


def show_environment(ranks: Ranks, device: torch.device) -> None:
    """Print what each rank runs on, in their order. Every rank calls this."""
    for text in gather_from_ranks(environment_of(ranks, device), ranks):
        if ranks.rank == 0:
            print(text, flush=True)


def environment_of(ranks: Ranks, device: torch.device) -> str:
    """This rank's place, its device, its versions, and the variables that backends read."""
    is_cuda = device.type == "cuda"
    name = f" ({torch.cuda.get_device_name(device)})" if is_cuda else ""
    backend = f", {dist.get_backend()}" if dist.is_initialized() else ""
    versions = [f"python {platform.python_version()}", f"torch {torch.__version__}"]
    if is_cuda:
        nccl: Any = torch.cuda.nccl
        versions.append(f"NCCL {'.'.join(map(str, nccl.version()))}")
    read = re.compile(r"(CUDA|FI|GLOO|HIP|MASTER|NCCL|OMP|PYTORCH|TORCH|UCX|ZE)_")
    variables = sorted(filter(read.match, os.environ))
    place = f"rank {ranks.rank} of {ranks.world_size}: local rank {ranks.local_rank}"
    lines = [
        f"{place} on {socket.gethostname()}, {device}{name}{backend}",
        ", ".join(versions),
        *(f"{each}={os.environ[each]}" for each in variables),
    ]
    return "\n    ".join(lines)
