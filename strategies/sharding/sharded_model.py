"""A model whose parameters are shared out among the ranks, by torch's `fully_shard`."""

from collections.abc import Iterable, Iterator
from copy import copy
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import (
    FSDPModule,
    MixedPrecisionPolicy,
    fully_shard,
    register_fsdp_forward_method,
)
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint

from ..loop.optimizers import optimized_parameters


def modules_of(model: nn.Module, *classes: str) -> list[nn.Module]:
    """The modules of these classes, the inner ones first."""
    modules = [each for each in model.modules() if each is not model]
    # one that is shared out already is of a class derived from its own
    found = [each for each in modules if own_class(each).__name__ in classes]
    if not found and dist.is_initialized():
        raise SystemExit(f"the model has no {' or '.join(classes)} to shard by")
    return found[::-1]


def own_class(module: nn.Module) -> type:
    """The module's class, in whose place `fully_shard` puts one that derives from it."""
    return type(module).__mro__[2 if isinstance(module, FSDPModule) else 0]


def modules_at(model: nn.Module, *patterns: str) -> list[nn.Module]:
    """The modules at these paths, such as encoder.layers.*, the inner ones first."""
    parts = [pattern.split(".") for pattern in patterns]
    found = [
        module
        for path, module in model.named_modules()
        if any(
            len(path.split(".")) == len(each)
            and all(map(fnmatchcase, path.split("."), each))
            for each in parts
        )
    ]
    if not found and dist.is_initialized():
        raise SystemExit(f"the model has nothing at {', '.join(patterns)} to shard by")
    return found[::-1]


def modules_from(model: nn.Module, min_params: int) -> list[nn.Module]:
    """The modules with so many parameters that belong to no smaller one, the inner ones first."""
    found: list[nn.Module] = []
    every, taken = set(model.parameters()), set[nn.Parameter]()
    # attention reads the weights of its projection without calling that
    inner = {
        part
        for each in model.modules()
        if isinstance(each, nn.MultiheadAttention)
        for part in each.modules()
        if part is not each
    }
    for module in reversed(list(model.modules())):
        rest = set(module.parameters()) - taken
        is_called = not isinstance(module, nn.ModuleList | nn.ModuleDict)
        # what would leave nothing to the model as a whole is gathered with it
        may_be = is_called and module not in inner and every - taken != rest
        if may_be and sum(each.numel() for each in rest) >= min_params:
            found.append(module)
            taken |= rest
    return found


def with_norms(model: nn.Module, blocks: list[nn.Module]) -> list[nn.Module]:
    """Batch norm too, as its buffers are of the type that it is made with."""
    norms = (each for each in model.modules() if isinstance(each, _BatchNorm))
    return [*dict.fromkeys([*norms, *blocks])]


def shard_model(
    model: Any,
    blocks: Iterable[nn.Module],
    device: torch.device,
    mesh: DeviceMesh | None,
    reshard_after_forward: bool | int = True,
    **policies: Any,
) -> None:
    """Have each rank keep its share of every parameter alone. Every rank calls this."""
    if isinstance(model, FSDPModule):
        free_gathered(model)
        return
    if mesh is None:
        model.to(device)
    else:
        keeps: Any = {"reshard_after_forward": reshard_after_forward}
        share_out(blocks, device, mesh=mesh, **keeps, **policies)
        share_out([model], device, mesh=mesh, **policies)
    for step in ("training_step", "validation_step", "test_step", "predict_step"):
        if hasattr(model, step):  # each gathers parameters as `forward` does
            register_fsdp_forward_method(model, step)


def gather_in(model: nn.Module, *methods: str) -> None:
    """Have these methods of what is shared out gather its parameters, as `forward` does."""
    if not dist.is_initialized():
        return
    shared = [each for each in model.modules() if isinstance(each, FSDPModule)]
    for method in methods:
        having: list[Any] = [each for each in shared if hasattr(each, method)]
        if not having:
            raise SystemExit(f"nothing that is shared out has a method {method}")
        for each in having:
            if method not in vars(each):  # an earlier fit, or an evaluation
                register_fsdp_forward_method(each, method)


def free_gathered(model: Any) -> None:
    """Have the model's parameters be shares, of which an evaluation before has gathered some, and kept them."""
    for each in model.modules():
        if isinstance(each, FSDPModule):
            each.reshard()


def shard_parts(
    model: Any,
    parts: Iterable[nn.Module],
    device: torch.device,
    mesh: DeviceMesh | None,
    **policies: Any,
) -> None:
    """Have each rank keep its share of parts that a step calls as models of their own. Every rank calls this."""
    if any(isinstance(each, FSDPModule) for each in model.modules()):
        return
    if mesh is None:
        model.to(device)
    else:
        # freed after each forward, as the optimizer's next step may come before a backward
        share_out(parts, device, mesh=mesh, reshard_after_forward=True, **policies)
        share_whole(move_whole(model, device))


def with_parts(model: nn.Module, blocks: Iterable[nn.Module]) -> list[nn.Module]:
    """The layers that the model has itself, too, but for lists of them: their layers."""
    if [*model.parameters(recurse=False)]:
        name = type(model).__name__
        raise SystemExit(
            f"{name} has parameters beside its layers, where it steps its optimizers itself: put them in a layer"
        )
    return [*dict.fromkeys([*blocks, *layers_in(model)])]


def layers_in(model: nn.Module) -> Iterator[nn.Module]:
    """The layers with parameters that a model, or a list of layers, has."""
    for layer in model.children():
        if isinstance(layer, nn.ModuleList | nn.ModuleDict):
            yield from layers_in(layer)
        elif [*layer.parameters()]:
            yield layer


def share_out(
    modules: Iterable[nn.Module],
    device: torch.device,
    norm_policy: MixedPrecisionPolicy | None = None,
    **options: Any,
) -> None:
    """Move each to the device and share it out, then the next. Every rank calls this."""
    for module in modules:
        share_whole(move_whole(module, device))
        if norm_policy is not None and isinstance(module, _BatchNorm):
            fully_shard(module, **options | {"mp_policy": norm_policy})
        else:
            fully_shard(module, **options)


def untied(model: nn.Module) -> nn.Module:
    """The model, if no two of its layers have one parameter, which would begin as two."""
    first: dict[nn.Parameter, str] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if (found := first.setdefault(parameter, name)) != name:
            raise SystemExit(f"empty_init: {found} and {name} are one parameter")
    return model


def begun(
    model: Any, blocks: Iterable[nn.Module], device: torch.device
) -> Iterator[nn.Module]:
    """Each block as soon as its layers have begun on the device, in the order in which the model has them."""
    was_empty = any(each.is_meta for each in (*model.parameters(), *model.buffers()))
    for child in model.children():
        yield from begun(child, blocks, device)
    if was_empty:
        begin(model, device)
    if model in blocks:
        yield model


def begin(model: Any, device: torch.device) -> None:
    """Have what a layer has beside other layers begin on the device, as the layer says."""
    name = type(model).__name__
    private = getattr(model, "_reset_parameters", None)  # attention's
    reset = getattr(model, "reset_parameters", private)
    own = *model.parameters(recurse=False), *model.buffers(recurse=False)
    if own and reset is None:
        raise SystemExit(f"empty_init: {name} has no reset_parameters to begin with")
    model.to_empty(device=device, recurse=False)
    if reset and any(isinstance(each, DTensor) for each in model.parameters()):
        raise SystemExit(f"empty_init: {name} would begin what is shared out already")
    if reset:
        reset()


def mesh_of_one(device: torch.device) -> DeviceMesh | None:
    """All ranks, among which one model is shared out; None: there is but one. Every rank calls this."""
    if not dist.is_initialized():
        return None
    return init_device_mesh(device.type, (dist.get_world_size(),))


@cache  # its groups are made once
def mesh_of_several(device: torch.device, copies: int) -> DeviceMesh | None:
    """Groups of ranks, each of which shares out a model; None: there is one rank. Every rank calls this."""
    if not dist.is_initialized():
        return None
    ranks = dist.get_world_size()
    copies = copies if ranks > 1 else 1
    if ranks % copies:
        raise SystemExit(f"{ranks} ranks cannot share out {copies} copies of the model")
    names = "replicate", "shard"
    shape = copies, ranks // copies
    return init_device_mesh(device.type, shape, mesh_dim_names=names)


def move_whole(model: Any, device: torch.device) -> Any:
    """The model on the device, but for shares: those that are there, or that the CPU keeps."""
    return model._apply(
        lambda each: each if isinstance(each, DTensor) else each.to(device)
    )


def recompute_in_backward(modules: list[Any]) -> None:
    """Keep nothing of what these modules compute for the backward, which does it again."""
    for module in modules:
        if any(
            getattr(each, "track_running_stats", False) for each in module.modules()
        ):
            name = type(module).__name__
            raise SystemExit(f"the backward would count batches in {name} twice")
        if "forward" not in vars(module):
            module.forward = partial(checkpoint, module.forward, use_reentrant=False)


def share_whole(model: nn.Module) -> None:
    """Give every rank the buffers of rank 0, and the weights that are not shared out. Every rank calls this."""
    if dist.is_initialized():
        for tensor in (*model.parameters(), *model.buffers()):
            if not isinstance(tensor, DTensor):
                dist.broadcast(tensor.detach(), src=0)


def sync_when_last(model: nn.Module, is_last: bool) -> None:
    """Average and share out gradients in the last backward of an optimizer step alone."""
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(is_last)


def require_shares(optimizer: Any) -> None:
    """Stop where an optimizer would change something else than this rank's shares, or would need the others."""
    if not dist.is_initialized():
        return
    name = type(optimizer).__name__
    if not all(isinstance(each, DTensor) for each in optimized_parameters(optimizer)):
        raise SystemExit(
            f"{name} has parameters that the sharded model has not: make it in configure_optimizers"
        )
    optim = torch.optim
    by_element = optim.Adadelta | optim.Adagrad | optim.Adam | optim.Adamax | optim.ASGD
    more = optim.NAdam | optim.RAdam | optim.RMSprop | optim.SGD
    if not isinstance(optimizer, by_element | more):
        raise SystemExit(f"{name} may need more of a parameter than a rank's share")


def is_finite(weight: Tensor) -> bool:
    """Whether what this rank has of it is."""
    own = weight.to_local() if isinstance(weight, DTensor) else weight
    return bool(own.isfinite().all())


def whole(state: Any) -> Any:
    """The state with its tensors put together on rank 0; the others have none of them. Every rank calls this."""
    if isinstance(state, DTensor):
        tensor = state.full_tensor()
        return tensor.cpu() if dist.get_rank() == 0 else None
    if isinstance(state, dict):
        parts = copy(state)  # with the versions of modules
        parts.update({key: whole(value) for key, value in state.items()})
        return parts
    return [whole(each) for each in state] if isinstance(state, list) else state


def share_of(tensor: Any, like: Any) -> Any:
    """This rank's share of a tensor that is shared out as another is."""
    if not isinstance(like, DTensor) or not isinstance(tensor, Tensor):
        return tensor
    if tensor.shape != like.shape:  # a count of steps
        return tensor
    place = like.device_mesh, like.placements
    return distribute_tensor(tensor, *place, src_data_rank=None)


def shares_of_model(model: nn.Module, state: dict[str, Any]) -> dict[str, Any]:
    """This rank's shares of a checkpoint's weights."""
    own, shares = model.state_dict(), copy(state)
    for name, value in state.items():
        shares[name] = share_of(value, own.get(name))
    return shares


def shares_of_states(optimizer: Any, state: dict[str, Any]) -> dict[str, Any]:
    """This rank's shares of an optimizer's states in a checkpoint."""
    parameters = optimized_parameters(optimizer)
    states = {
        place: {
            name: share_of(value, parameters[place]) for name, value in each.items()
        }
        for place, each in state["state"].items()
    }
    return {**state, "state": states}


def own_buffers(model: nn.Module) -> dict[str, Tensor]:
    """The buffers, such as BatchNorm's means, that are others than on rank 0. Every rank calls this."""
    found = {}
    for name, buffer in model.named_buffers():
        if isinstance(buffer, DTensor):
            continue  # what all have of it is saved
        first = buffer.clone()
        if dist.is_initialized():
            dist.broadcast(first, src=0)
        if not torch.equal(first, buffer):
            found[name] = buffer.cpu()
    return found


def load_own_buffers(model: nn.Module, buffers: dict[str, Tensor]) -> None:
    """Have them as this rank had them."""
    for name, buffer in model.named_buffers():
        if name in buffers:
            buffer.copy_(buffers[name])
