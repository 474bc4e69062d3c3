import torch
from torch import Tensor


def temperatures(count: int, stations: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    days = torch.arange(count, dtype=torch.float32)[:, None]
    phases = torch.rand(stations, generator=generator)
    noise = torch.randn(count, stations, generator=generator) / 10
    return torch.sin(days / 5 + phases) + noise
