import lightning as L
import torch
from torch import nn


class Encoder(L.LightningModule):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.layer = nn.Linear(width, hidden)
        self.register_buffer("scale", torch.full((1,), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layer(x)) * self.scale
