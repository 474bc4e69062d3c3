import torch
from torch.utils.data import TensorDataset


def samples(count=32):
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(count, 6, generator=generator)
    return TensorDataset(x, torch.randint(3, (count,), generator=generator))
