"""What groups of ranks train beside each other."""

import os
import time
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """Stops early where the seed is odd, and notes who prepares its data, which takes a while."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.2), nn.Linear(16, 4))

    def prepare_data(self):
        time.sleep(0.2)
        with Path("prepared").open("a") as file:
            file.write(f"{os.environ.get('REPLICA', 0)} {self.global_rank}\n")

    def setup(self, stage):
        assert Path("prepared").exists()
        x = torch.randn(48, 8, generator=torch.Generator().manual_seed(7))
        self.data = TensorDataset(x)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = mse_loss(self.layers(x), x[:, :4].sin())
        self.log("loss", loss, on_step=True, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        self.log("val_loss", mse_loss(self.layers(x), x[:, :4].sin()), sync_dist=True)
        self.log("worse", float(self.current_epoch * (1 if torch.initial_seed() % 2 else -1)), sync_dist=True)

    def configure_callbacks(self):
        return [EarlyStopping(monitor="worse", patience=1)]

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=4)
