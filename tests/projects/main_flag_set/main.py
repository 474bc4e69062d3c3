"""Flags of a module's, which the main sets between the imports of what reads them."""

import lightning as L
import torch
from pk import early, flags
from torch.utils.data import DataLoader

flags.TIMED = False
flags.SCALE = 3

from pk.late import Net  # noqa: E402

if __name__ == "__main__":
    L.seed_everything(1)
    loader = DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2)
    L.Trainer(max_epochs=2, accelerator="cpu").fit(Net(), loader)
    print(early.squared(torch.ones(1)))
