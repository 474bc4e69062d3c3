"""What the model in these tests is made of, and what it is trained on."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.nn import all_reduce
from torch.utils.data import TensorDataset


class Tanh(nn.Module):
    calls = 0

    def forward(self, x):
        Tanh.calls += 1
        return torch.tanh(x)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.act = Tanh()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return x + self.encode(x)

    def encode(self, x):
        return self.norm(self.act(self.layer(x)))


class Layers(nn.Module):
    """Sizes that two and three ranks cannot share out evenly, a layer that is used twice, one without gradients."""

    def __init__(self, width=31):
        super().__init__()
        torch.manual_seed(3)
        self.first = nn.Linear(15, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(3)))
        self.last = nn.Linear(width, 15)
        self.fixed = nn.Linear(15, 15).requires_grad_(False)

    def forward(self, x):
        return self.fixed(self.last(self.blocks(self.first(x))))


class Together(nn.Module):
    """As batch norm over the batches of all ranks."""

    def __init__(self, norm):
        super().__init__()
        self.weight, self.bias = norm.weight, norm.bias

    def forward(self, x):
        means = torch.stack((x.mean(0), x.square().mean(0))) / world_size()
        first, second = all_reduce(means) if dist.is_initialized() else means
        return (x - first) * torch.rsqrt(second - first.square() + 1e-5) * self.weight + self.bias


def synced(layers):
    """What the spec's layer_sync calls."""
    for block in layers.modules():
        if isinstance(block, Block):
            block.norm = Together(block.norm)


def world_size():
    return dist.get_world_size() if dist.is_initialized() else 1


def gradients(model):
    """Asked for where no build reads it, which refuses `.grad`."""
    return [each.grad for each in model.parameters()]


def samples(count=28):
    return TensorDataset(torch.randn(count, 15, generator=torch.Generator().manual_seed(7)))


def optimizer_of(model, lr):
    """One that a function of a module without Lightning makes, of groups."""
    matrices = [each for each in model.parameters() if each.ndim > 1]
    others = [each for each in model.parameters() if each.ndim < 2]
    return torch.optim.SGD([{"params": matrices, "weight_decay": 0.1}, {"params": others}], lr=lr)
