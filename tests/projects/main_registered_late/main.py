"""A model whose module notes it in a table when a function imports it, and sets up what it is made with."""

import lightning as L
import torch
from nets.registry import build
from torch.utils.data import DataLoader, TensorDataset


def loader():
    generator = torch.Generator().manual_seed(3)
    return DataLoader(TensorDataset(torch.randn(24, 4, generator=generator)), batch_size=4)


if __name__ == "__main__":
    L.seed_everything(7)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(build("small"), loader())
