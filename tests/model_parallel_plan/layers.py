"""Layers of which ranks have parts, and others that each rank has."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down, self.norm = nn.Linear(8, 12), nn.Linear(12, 8), nn.LayerNorm(8)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class Layers(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(8, 8), Block(), Block(), nn.Linear(8, 8))


def samples(count=22):
    return torch.randn(count, 6, 8, generator=torch.Generator().manual_seed(7))
