from collections.abc import Sequence

import torch
from torch.utils.data import TensorDataset


class Sizes(Sequence):
    """What `main.py` imports for the type checker is needed here when the code runs."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (32, 6)[index]


def samples():
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(*Sizes(), generator=generator)
    return TensorDataset(x, torch.randint(3, (len(x),), generator=generator))
