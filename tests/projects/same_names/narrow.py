import lightning
from torch import nn as layers

from nets import nets

WIDTH = 4


class Block(layers.Linear):
    """Not the other `Block`."""

    def forward(self, x):
        return super().forward(x).tanh() * WIDTH


class Net(Block):
    def copy(self) -> "Block":
        return Block(1, 1)


def scale(scale):
    global WIDTH
    WIDTH = WIDTH + 0
    return scale * nets.SCALES["halved"]
