import torch.nn as nn

from tables import first
from tables.first import weighted as weighted_first

WEIGHTS = [each / 2 for each in first.WEIGHTS]
SCALE = 0.25
LIMIT = 3
RATE = 0.2
SEEN: list[float] = []


class Wide(nn.Linear):
    def __init__(self, size):
        super().__init__(size, 1, bias=False)


def made(layer):
    return Wide(len(WEIGHTS))


def weighted(x):
    return weighted_first(x) + LIMIT
