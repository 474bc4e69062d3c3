"""Noisy waves of three forms."""

import math

import torch
from torch.utils.data import Dataset


class Waves(Dataset):
    forms = (torch.sin, lambda t: torch.sign(torch.sin(t)), lambda t: (t / math.pi) % 2 - 1)

    def __init__(self, count, length, noise, seed, transform=None):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(self.forms), (count,), generator=generator)
        phases = torch.rand(count, 1, generator=generator) * 2 * math.pi
        times = torch.linspace(0, 4 * math.pi, length) + phases
        self.waves = torch.stack([self.forms[k](t) for k, t in zip(self.labels.tolist(), times)])
        self.waves += noise * torch.randn(count, length, generator=generator)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        wave = self.waves[index]
        if self.transform is not None:
            wave = self.transform(wave)
        return {"wave": wave, "label": self.labels[index]}
