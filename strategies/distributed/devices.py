"""The GPUs of this machine, and what needs one."""

import torch
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


def require_gpu_for_norms(model: nn.Module, device: torch.device) -> None:
    """Stop where torch has no batch norm over several ranks."""
    trains = any(each.requires_grad for each in model.parameters())
    norms = any(isinstance(each, nn.SyncBatchNorm) for each in model.modules())
    if device.type == "cpu" and trains and norms:
        raise SystemExit(
            "torch has batch norm over several ranks on GPUs alone: leave it out, or convert layers by your own code"
        )
