"""Two training loaders in a list that a data module makes."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Pairs(L.LightningDataModule):
    def setup(self, stage):
        generator = torch.Generator().manual_seed(3)
        self.sets = [TensorDataset(torch.randn(count, 4, generator=generator)) for count in (24, 12)]

    def train_dataloader(self):
        return [DataLoader(each, batch_size=4, shuffle=True) for each in self.sets]


class Pulled(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        (first,), (second,) = batch
        loss = (self.layer(first).mean(0) - self.layer(second).mean(0)).square().mean()
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)
