"""Values made by statements at the top level."""

import math
import warnings
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

try:
    from math import cbrt
except ImportError:

    def cbrt(x):
        return math.copysign(abs(x) ** (1 / 3), x)


warnings.filterwarnings("ignore", message="never issued")

T = TypeVar("T")
GENERATOR = torch.Generator().manual_seed(21)
PROJECTION = torch.randn(4, 2, generator=GENERATOR)
SHIFT = torch.rand(2, generator=GENERATOR)
ACTIVATIONS = {"relu": nn.ReLU}
ACTIVATIONS["tanh"] = nn.Tanh
SIZES = []
for power in range(2, 4):
    SIZES.append(2**power)
if len(SIZES) > 1:
    WIDTH = SIZES[-1]
else:
    WIDTH = 1
(LOW, HIGH), *REST = (-1, 1), 5, 6
SCALE: float = cbrt(8.0)
REGISTRY: dict[str, type] = {}


def register(name):
    def decorate(cls):
        REGISTRY[name] = cls
        return cls

    return decorate


@register("block")
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, size), ACTIVATIONS["tanh"](), nn.Linear(size, 1))

    def forward(self, x):
        return self.layers(x)


class Task(L.LightningModule, ABC, Generic[T]):
    @abstractmethod
    def convert(self, batch: T) -> torch.Tensor: ...

    def training_step(self, batch, batch_idx):
        x = self.convert(batch)
        loss = (self.net(x @ PROJECTION + SHIFT) * SCALE - len(REST)).clamp(LOW, HIGH * 9).square().mean()
        self.log("loss", loss)
        return loss


@register("task")
class FromConstants(Task[list]):
    def __init__(self):
        super().__init__()
        self.net = REGISTRY["block"](WIDTH)

    def convert(self, batch):
        return batch[0]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.05)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 4, generator=torch.Generator().manual_seed(0))), batch_size=4
        )
