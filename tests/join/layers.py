"""What is trained in the tests of uneven epochs, by a script and by hand."""

import torch
from torch import nn

SIZED = (5, 8)
"""Batches of the two ranks, the same in each epoch."""


def layers():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 4))


def batch(epoch, rank, place):
    generator = torch.Generator().manual_seed(1000 * epoch + 100 * rank + place)
    return torch.randn(4, 8, generator=generator)


def streamed(epoch, rank):
    """Batches of which now the one rank has more, now the other, now both as many."""
    return (4, 7, 5)[(epoch + rank) % 3] if epoch != 2 else 6


def loss_of(layers, x):
    return (layers(x) - x[:, :4].sin()).square().mean()


def adam(model):
    return torch.optim.Adam(model.parameters(), lr=0.02)


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def falling(optimizer):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.9**step)
