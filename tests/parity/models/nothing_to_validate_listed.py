"""Several loaders, of which the first, or each, fills no batch: before others it is begun all the same."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def samples(count):
    return TensorDataset(torch.randn(count, 4, generator=torch.Generator().manual_seed(count)))


class Listed(L.LightningModule):
    def __init__(self, counts=(3, 9)):
        super().__init__()
        self.counts = counts
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.layers(batch[0]).pow(2).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(samples(24), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(samples(count), batch_size=4, drop_last=True) for count in self.counts]
