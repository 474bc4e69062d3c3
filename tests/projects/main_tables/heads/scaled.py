import lightning as L
import torch
from heads.plain import head as plain_head


class Scale(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        return x * self.factor


def head(size):
    return torch.nn.Sequential(Scale(), plain_head(size))
