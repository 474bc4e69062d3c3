from torch import nn


def head(size):
    return nn.Linear(size, 1)
