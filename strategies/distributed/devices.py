"""The GPUs of this machine."""

import torch


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
