import lightning  # so that this module is embedded
from torch import nn


class Block(nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()
