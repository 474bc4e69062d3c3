from functools import partial
from random import *

import torch
from net import *
from torch.utils.data import DataLoader, TensorDataset

print = partial(print, flush=True)


def max(*values):
    return sum(values)


def loader(rows: int) -> DataLoader:
    factor = uniform(0.5, 1.5) * isqrt(4)
    print(f"{max(1, 2, rows)} rows and three")
    x = torch.arange(3.0 * rows).reshape(rows, 3) / 60
    return DataLoader(TensorDataset(x, factor * x.sum(1, keepdim=True)), batch_size=4, shuffle=True)
