"""What there is of the first kind."""

import torch

WEIGHTS = [1.0, 0.5, 0.5, 1.0]
SCALE = 1.0
SCALE += 0.5
SEEN: list[float] = []


def weighted(x):
    return x * torch.tensor(WEIGHTS)


def made(layer):
    return layer(len(WEIGHTS), 1)


def _fill():
    WEIGHTS[0] = 2.0


_fill()
