"""The GPUs of this machine, and what needs one."""

from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import nn


def find_usable_cuda_devices(num_devices: int = -1) -> list[int]:
    """So many GPUs, or all, on which a tensor can be made."""
    usable: list[int] = []
    for index in range(torch.cuda.device_count()):
        if len(usable) == num_devices:
            break
        try:
            torch.tensor(0, device=torch.device("cuda", index))
        except RuntimeError:
            continue  # taken by another process
        usable.append(index)
    if num_devices > len(usable) or (num_devices < 0 and not usable):
        wanted = num_devices if num_devices > 0 else "any"
        raise ValueError(f"{wanted} CUDA devices are wanted, {len(usable)} can be used")
    return usable


def gpu_ids(
    gpus: int | str | Sequence[int],
    include_cuda: bool = False,
    include_mps: bool = False,
) -> list[int] | None:
    """The numbers of so many GPUs, of all for -1, or those listed; None: none is asked for."""
    present = [*range(torch.cuda.device_count() if include_cuda else 0)]
    present += [0] if include_mps and torch.backends.mps.is_available() else []
    if isinstance(gpus, str):
        is_list, parts = "," in gpus, [part for part in gpus.split(",") if part]
        gpus = [int(part) for part in parts] if is_list else int(gpus)
    if not gpus:
        return None
    wanted = [*range(gpus)] if isinstance(gpus, int) else [*gpus]
    wanted = present if gpus == -1 else wanted
    sees_one = dist.is_torchelastic_launched() and len(present) == 1 < len(wanted)
    if not wanted or not (sees_one or sorted(wanted) == sorted({*wanted} & {*present})):
        raise ValueError(f"GPUs {gpus} are asked for, and there are {present}")
    return wanted


def require_gpu_for_norms(model: nn.Module, device: torch.device) -> None:
    """Stop where torch has no batch norm over several ranks."""
    trains = any(each.requires_grad for each in model.parameters())
    norms = any(isinstance(each, nn.SyncBatchNorm) for each in model.modules())
    if device.type == "cpu" and trains and norms:
        raise SystemExit(
            "torch has batch norm over several ranks on GPUs alone: leave it out, or convert layers by your own code"
        )
