"""Ranks by the data that they read, and by the parts of a model that they have."""

import os
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    parallelize_module,
)

from ..distributed.ranks import Ranks
from .sharded_model import (
    free_gathered,
    modules_at,
    move_whole,
    shard_model,
    share_whole,
)


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


def share_by_plan(
    model: Any,
    plan: dict[str, ParallelStyle],
    device: torch.device,
) -> None:
    """Have each rank keep its part of these layers, and of all of it a share for other data. Every rank calls this."""
    if isinstance(model, FSDPModule):
        free_gathered(model)
        return
    for path, style in plan.items():
        divides = isinstance(style, ColwiseParallel | RowwiseParallel)
        for layer in modules_at(model, path):
            if divides and not isinstance(layer, nn.Linear | nn.Embedding):
                name = type(layer).__name__
                raise SystemExit(
                    f"{path} is a {name}: columns and rows are of Linear, Embedding"
                )
    mesh = model.device_mesh
    share_whole(move_whole(model, device))
    parts: Any = plan
    parallelize_module(model, mesh["tensor_parallel"], parts, src_data_rank=None)
    shard_model(model, [], device, mesh["data_parallel"])


def by_mesh(parameters: Iterable[Any]) -> list[list[Any]]:
    """The parameters that have gradients, by the ranks that share them."""
    groups: dict[Any, list[Any]] = {}
    for parameter in parameters:
        if parameter.grad is not None:
            groups.setdefault(parameter.device_mesh, []).append(parameter)
    return list(groups.values())


def clip_norm_over_meshes(parameters: Iterable[Any], limit: float) -> None:
    """Limit the norm of all gradients together; torch's own takes one mesh. Every rank calls this."""
    groups = by_mesh(parameters)
    norms: list[Any] = []
    for group in groups:
        norm: Any = nn.utils.get_total_norm([each.grad for each in group])
        norms.append(norm.full_tensor())
    total = torch.stack(norms).norm() if norms else torch.tensor(0.0)
    for group in groups:
        nn.utils.clip_grads_with_norm_(group, limit, total)


def clip_value_over_meshes(parameters: Iterable[Any], limit: float) -> None:
    """Limit each number of the gradients."""
    for group in by_mesh(parameters):
        nn.utils.clip_grad_value_(group, limit)


def clip_over_meshes(algorithm: str | None) -> Callable[[Iterable[Any], float], None]:
    """What limits gradients, by their norm or each by its value."""
    by_value = (algorithm or "norm").lower() == "value"
    return clip_value_over_meshes if by_value else clip_norm_over_meshes


def change_one_by_one(optimizer: Any) -> None:
    """Have no parameters changed together, as torch can where one mesh has all of them."""
    for group in optimizer.param_groups:
        if group.get("fused"):
            name = type(optimizer).__name__
            raise SystemExit(f"{name} is fused, and parameters are on several meshes")
        if "foreach" in group:
            group["foreach"] = False
