"""The same training by a loop with torch's own API: `by_hand.py VARIANT WEIGHTS`."""

import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from layers import Layers, samples
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.utils.data import DataLoader, DistributedSampler

EPOCHS, WORLD = 4, int(os.environ.get("WORLD_SIZE", "1"))
GROUPS = max(1, WORLD // 2)


def train(variant, path):
    layers = Layers()
    if WORLD > 1:
        parts, rest = shared_out(layers, variant == "sequence")
    else:
        parts, rest = [], list(layers.parameters())
    optimizer = torch.optim.AdamW(layers.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
    place_of_rank = dist.get_rank() // 2 if WORLD > 1 else 0
    sampler = DistributedSampler(samples(), GROUPS, place_of_rank, seed=1)
    loader = DataLoader(samples(), batch_size=4, sampler=sampler)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for place, x in enumerate(loader):
            if place % 2 == 0:
                optimizer.zero_grad()
            (F.mse_loss(layers(x), x.flip(1)) / 2).backward()
            if place % 2 == 1 or place + 1 == len(loader):
                limit(parts, rest, variant)
                optimizer.step()
        scheduler.step()
    if WORLD > 1:
        weights = get_model_state_dict(
            layers, options=StateDictOptions(full_state_dict=True, cpu_offload=True)
        )
    else:
        weights = layers.state_dict()
    if WORLD == 1 or dist.get_rank() == 0:
        torch.save({f"layers.{name}": value for name, value in weights.items()}, path)


def shared_out(layers, are_sequences):
    """The parameters of which ranks have parts, and the others."""
    mesh = init_device_mesh("cpu", (GROUPS, 2), mesh_dim_names=("data", "parts"))
    for parameter in layers.parameters():
        dist.broadcast(parameter.detach(), src=0)
    split = set()
    for block in (layers[1], layers[2]):
        if are_sequences:
            parallelize_module(block.norm, mesh["parts"], SequenceParallel())
            parallelize_module(block.up, mesh["parts"], ColwiseParallel(input_layouts=Shard(1)))
            parallelize_module(block.down, mesh["parts"], RowwiseParallel(output_layouts=Shard(1)))
            split.add(id(block.norm))
        else:
            parallelize_module(block.up, mesh["parts"], ColwiseParallel())
            parallelize_module(block.down, mesh["parts"], RowwiseParallel())
        split |= {id(block.up), id(block.down)}
    if are_sequences:
        cut = PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(1))
        joined = {"input_layouts": Shard(1), "desired_input_layouts": Replicate(), "use_local_output": True}
        parallelize_module(layers[0], mesh["parts"], cut)
        parallelize_module(layers[3], mesh["parts"], PrepareModuleInput(**joined))
    fully_shard(layers, mesh=mesh["data"])
    parts = [each for module in layers.modules() if id(module) in split for each in module.parameters()]
    rest = [each for each in layers.parameters() if all(each is not part for part in parts)]
    return parts, rest


def limit(parts, rest, variant):
    if variant == "value":
        nn.utils.clip_grad_value_(parts, 0.01)
        nn.utils.clip_grad_value_(rest, 0.01)
        return
    if WORLD == 1:
        nn.utils.clip_grad_norm_(rest, 0.1)
        return
    norms = [nn.utils.get_total_norm([each.grad for each in group]).full_tensor() for group in (rest, parts)]
    for group in (parts, rest):
        nn.utils.clip_grads_with_norm_(group, 0.1, torch.stack(norms).norm())


if __name__ == "__main__":
    if WORLD > 1:
        dist.init_process_group("gloo")
    torch.manual_seed(1)
    train(*sys.argv[1:])
    if WORLD > 1:
        dist.barrier()
        dist.destroy_process_group()
