"""What is trained in the tests of local SGD, by a script and by hand."""

import torch
from torch import nn
from torch.utils.data import TensorDataset


def layers():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))


def samples():
    return TensorDataset(torch.randn(48, 8, generator=torch.Generator().manual_seed(7)))


def loss_of(layers, x):
    x = layers(x)
    return x.pow(2).mean() + x.sum(1).exp().mean()


def optimizer_for(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)
