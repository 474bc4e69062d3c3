import random

import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Mixup(L.LightningModule):
    """Random numbers from numpy and Python in the steps: their seeds and states count as well."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        lam = np.random.beta(0.4, 0.4)
        order = torch.randperm(len(x))
        mixed = lam * x + (1 - lam) * x[order]
        loss = lam * nn.functional.cross_entropy(self.net(mixed), y)
        loss = loss + (1 - lam) * nn.functional.cross_entropy(self.net(mixed), y[order])
        if random.random() < 0.3:
            loss = loss * 0.5
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        noise = np.random.normal(size=x.shape) * random.uniform(0, 0.2)
        x = x + torch.from_numpy(noise).float()
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.RAdam(self.parameters(), lr=0.05)

    def loader(self, n, shuffle=False):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4, shuffle=shuffle)

    def train_dataloader(self):
        return self.loader(24, shuffle=True)

    def val_dataloader(self):
        return self.loader(8)
