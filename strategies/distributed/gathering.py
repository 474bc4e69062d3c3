"""Tensors gathered from all ranks."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.nn.functional import all_gather


def gathered(data: Any, device: torch.device, group: Any, sync_grads: bool) -> Any:
    """The tensors and numbers in `data` from all ranks, stacked. Every rank calls this."""
    kind: Any = type(data)
    if is_dataclass(kind):
        raise TypeError("all_gather takes tensors, numbers, lists, tuples and dicts")
    if isinstance(data, Mapping):
        pairs = data.items()
        return kind({k: gathered(v, device, group, sync_grads) for k, v in pairs})
    if isinstance(data, list | tuple):
        parts = [gathered(part, device, group, sync_grads) for part in data]
        return kind(*parts) if hasattr(data, "_fields") else kind(parts)
    tensor = as_tensor(data, device)
    if tensor is None or not dist.is_initialized():
        return data if tensor is None else tensor
    gather: Any = all_gather
    with nullcontext() if sync_grads else torch.no_grad():
        return torch.stack(gather(tensor.contiguous(), group or dist.group.WORLD))


def as_tensor(value: Any, device: torch.device) -> Tensor | None:
    """A tensor, a number or an array on `device`; None: it is none of these."""
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    dtypes = {bool: torch.uint8, int: torch.int, float: torch.float}
    if type(value) in dtypes:
        return torch.tensor(value, dtype=dtypes[type(value)], device=device)
    return value.to(device) if isinstance(value, Tensor) else None
