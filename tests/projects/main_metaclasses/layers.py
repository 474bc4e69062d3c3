from layer_table import Listed
from torch import nn


class Layer(nn.Module, metaclass=Listed):
    pass


class Wide(Layer):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.inner(x)
