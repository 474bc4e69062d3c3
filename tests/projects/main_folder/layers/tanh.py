from torch import nn

from layers.table import entered


@entered
class Curved(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 3), nn.Tanh(), nn.Dropout())
