"""A model that kills its process before a step, where it is told so."""

import os
import signal

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        if self.global_step == int(os.environ.get("KILLED_AT", "-1")):
            os.kill(os.getpid(), signal.SIGKILL)
        with open("steps", "a") as file:
            file.write(f"{self.global_step}\n")
        loss = self.layers(batch[0]).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)

    def train_dataloader(self):
        x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(8, 6, generator=torch.Generator().manual_seed(4))
        return DataLoader(TensorDataset(x), batch_size=4)
