from torch import nn


class Encoder(nn.Module):
    def __init__(self, width: int, activation: str = "Tanh"):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, width), getattr(nn, activation)())

    def forward(self, x):
        return self.layers(x)
