"""The same with hooks, which Lightning does not call where there is nothing to validate, in each of two loaders."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def samples(count):
    return TensorDataset(torch.randn(count, 4, generator=torch.Generator().manual_seed(count)))


class Hooked(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
        self.register_buffer("calls", torch.zeros(3))
        self.seen = []

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.calls[0] += 1

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.seen.append(self.layers(batch[0]).pow(2).mean())
        self.calls[1] += 1

    def on_validation_epoch_end(self):
        self.calls[2] += 1
        self.log("val_loss", torch.stack(self.seen).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(samples(24), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(samples(count), batch_size=4, drop_last=True) for count in (2, 3)]
