"""The same trainings by a loop with torch's own API: `by_hand.py CASE WEIGHTS`."""

import sys
import time
from collections import OrderedDict

import torch
import torch.distributed as dist
from layers import layers, loss_of, optimizer_for, samples
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

EPOCHS = 4


def by_period():
    return PeriodicModelAverager(period=5, warmup_steps=4)


def by_groups():
    return HierarchicalModelAverager(OrderedDict([(2, 1), (5, 2)]), warmup_steps=3)


def neighbours(start, size, shares=True):
    return PostLocalSGDState(None, dist.new_subgroups(size)[0], start, shares)


CASES = {
    "plain": lambda: (None, None),
    "alone": lambda: (neighbours(4, 1), by_period()),
    "unshared": lambda: (neighbours(4, 2, False), by_period()),
    "shared": lambda: (neighbours(4, 2), by_period()),
    "groups": lambda: (neighbours(3, 1), by_groups()),
    "accumulated": lambda: (neighbours(4, 1), by_period()),
}


def train(case, path):
    model = layers()
    step = DistributedDataParallel(model, gradient_as_bucket_view=True)
    state, averager = CASES[case]()
    optimizer = optimizer_for(model.parameters())
    if state:
        step.register_comm_hook(state, post_localSGD_hook)
        optimizer = PostLocalSGDOptimizer(optimizer, averager)
    window = 2 if case == "accumulated" else 1
    loader = DataLoader(samples(), batch_size=4, sampler=DistributedSampler(samples()))
    for epoch in range(EPOCHS):
        loader.sampler.set_epoch(epoch)
        for place, (x,) in enumerate(loader):
            step.require_backward_grad_sync = is_last = place % window == window - 1
            loss = loss_of(step, x) / window
            if place % window == 0:
                optimizer.zero_grad()
            loss.backward()
            if is_last:
                if window > 1:
                    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
    states = [None, None]
    dist.all_gather_object(states, model.state_dict())
    if dist.get_rank() == 0:
        torch.save(states, path)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    train(*sys.argv[1:])
    time.sleep(0.2)  # gloo's threads need Python to let go of a hook's tensors
    dist.destroy_process_group()
