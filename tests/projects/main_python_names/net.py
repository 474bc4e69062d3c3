from math import *
from typing import *

import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self, width: Optional[int] = 4):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))
        self.scale = pow(width, 2) / sqrt(width)  # of math, and so no integer

    def training_step(self, batch: List[torch.Tensor], batch_idx: int) -> torch.Tensor:
        x, y = batch
        loss = (self.layers(x) - y).square().mean() * self.scale
        self.log("loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)
