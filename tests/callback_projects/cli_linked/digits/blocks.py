"""What does not know of Lightning."""

from torch import nn


class Block(nn.Module):
    def __init__(self, slope: float = 0.1, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.LeakyReLU(slope), nn.Dropout(dropout))

    def forward(self, x):
        return self.layers(x)
