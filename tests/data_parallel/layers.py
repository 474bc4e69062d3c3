"""What is trained in the tests of data parallelism, by a script and by hand."""

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS = 2


def layers():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))


def samples():
    return TensorDataset(torch.randn(96, 8, generator=torch.Generator().manual_seed(7)))


def batches(rank, ranks, size=4):
    """Those of all epochs."""
    sampler = DistributedSampler(samples(), ranks, rank)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        yield from (x for x, in DataLoader(samples(), batch_size=size, sampler=sampler))


def optimizer_for(model):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
