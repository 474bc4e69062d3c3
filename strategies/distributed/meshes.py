"""Ranks by the data that they read, and by the parts of a model that they have."""

import os
import warnings
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .ranks import Ranks


@cache  # its groups are made once
def mesh_of_parts(
    device: torch.device,
    data_parallel_size: int | None = None,
    tensor_parallel_size: int | None = None,
) -> DeviceMesh:
    """Groups of ranks, each of which has parts of one model. Every rank calls this."""
    world = dist.get_world_size()
    of_node = int(os.environ.get("LOCAL_WORLD_SIZE", world))
    groups = data_parallel_size or world // (tensor_parallel_size or of_node)
    parts = tensor_parallel_size or world // groups
    if world == 1:  # has all of it
        groups = parts = 1
    if groups * parts != world:
        raise SystemExit(
            f"{world} ranks are not {groups} groups of {parts}: change the sizes of model_parallel"
        )
    names = "data_parallel", "tensor_parallel"
    return init_device_mesh(device.type, (groups, parts), mesh_dim_names=names)


def readers_of(mesh: DeviceMesh) -> Ranks:
    """This rank's place among those that read other data: ranks with parts of one model read the same."""
    groups = mesh["data_parallel"]
    return Ranks(groups.get_local_rank(), 0, groups.size())


def materialize(model: Any, device: torch.device) -> None:
    """Have weights that are on the meta device begin on this one, as each layer resets them."""
    if not any(each.is_meta for each in (*model.parameters(), *model.buffers())):
        return
    model.to_empty(device=device)
    left: set[str] = set()
    for module in model.modules():
        own = *module.parameters(recurse=False), *module.buffers(recurse=False)
        if own and callable(reset := getattr(module, "reset_parameters", None)):
            reset()
        elif own:
            left.add(type(module).__name__)
    if left:
        names = ", ".join(sorted(left))
        warnings.warn(
            f"without reset_parameters, weights stay undefined: {names}", stacklevel=2
        )
