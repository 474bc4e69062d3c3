"""Layers and models that a class keeps, by the names that decorators of it give them."""

import lightning as L
import torch
from parts import layers, nets  # noqa: F401 - they enter what they have
from parts.registry import Registry
from torch.utils.data import DataLoader, TensorDataset


def main(name="counting"):
    L.seed_everything(6)
    model = Registry.get(name)()
    data = DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=4)
    L.Trainer(max_epochs=2).fit(model, data)


if __name__ == "__main__":
    main()
