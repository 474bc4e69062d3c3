"""A network, in a file that code names by its path."""

import torch
from lightning.pytorch.demos.boring_classes import BoringModel
from torch import nn

SIZES = (32, 5, 2)


class Network(BoringModel):
    def __init__(self, rate: float) -> None:
        super().__init__()
        first, inner, last = SIZES
        self.layer = nn.Sequential(nn.Linear(first, inner), nn.Tanh(), nn.Linear(inner, last))
        self.rate = rate

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.rate)


def get_model(rate: float, scale: float = 1.0):
    return Network(rate * scale), {"sizes": SIZES}
