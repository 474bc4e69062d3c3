"""The same trainings by a loop with torch's own API: `by_hand.py CASE WEIGHTS`."""

import os
import sys
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn.functional as F
from layers import Block, Layers, samples, synced
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, DistributedSampler

EPOCHS = 4


class Step(nn.Module):
    """The step of the model as the forward of what is sharded."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        layers = self.layers
        return F.mse_loss(layers(x), x) + layers.last(layers.first(x)).pow(2).mean()


def train(case, path):
    step = Step(Layers().bfloat16() if case == "bf16" else Layers())
    if case == "every_backward":
        synced(step)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    if case != "whole":
        keeps = {"reshard_after_forward": False} if case == "every_backward" else {}
        for block in step.layers.blocks:
            assert isinstance(block, Block)
            if case == "policies":
                types = MixedPrecisionPolicy(torch.float32, output_dtype=torch.bfloat16)
                fully_shard(block.norm, mesh=mesh, mp_policy=types)
                keeps = {"mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)}
            fully_shard(block, mesh=mesh, **keeps)
    fully_shard(step, mesh=mesh, **(keeps if case == "policies" else {}))
    optimizer = torch.optim.AdamW(step.parameters(), lr=0.01)
    scheduler = StepLR(optimizer, 1, 0.9)
    window = 1 if case == "whole" else 2
    sampler = DistributedSampler(samples()) if dist.get_world_size() > 1 else None
    loader = DataLoader(samples(), batch_size=4, sampler=sampler)
    norms = []
    for epoch in range(EPOCHS):
        if sampler:
            sampler.set_epoch(epoch)
        for place, (x,) in enumerate(loader):
            is_last = place % window == window - 1 or place + 1 == len(loader)
            x = x.bfloat16() if case == "bf16" else x
            if place % window == 0:
                optimizer.zero_grad()
            parts = x.split(2) if case == "parts" else [x]
            for part in parts:
                step.set_requires_gradient_sync((is_last and part is parts[-1]) or case == "every_backward")
                with (
                    torch.autocast("cpu", torch.bfloat16, cache_enabled=False)
                    if case in ("half", "policies")
                    else nullcontext()
                ):
                    loss = step(part) * (len(part) / len(x)) / window
                loss.backward()
            if is_last:
                whole = [each.grad.full_tensor() for each in step.parameters() if each.grad is not None]
                norms.append(nn.utils.get_total_norm(whole).item())
                if case == "every_backward":
                    nn.utils.clip_grad_value_(step.parameters(), 0.01)
                elif case != "whole":
                    nn.utils.clip_grad_norm_(step.parameters(), 0.5)
                optimizer.step()
        scheduler.step()
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(step, options=options)
    named = get_optimizer_state_dict(step, optimizer, options=options)
    if dist.get_rank() == 0:
        names = [name for name, _ in step.named_parameters()]
        states = {names.index(name): state for name, state in named["state"].items()}
        torch.save((weights, states, norms), path)


if __name__ == "__main__":
    alone = {} if "RANK" in os.environ else {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    dist.init_process_group("gloo", **alone)
    train(*sys.argv[1:])
    dist.barrier()
    dist.destroy_process_group()
