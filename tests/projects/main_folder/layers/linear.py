from torch import nn

from layers.table import entered


@entered
class Straight(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 2))
