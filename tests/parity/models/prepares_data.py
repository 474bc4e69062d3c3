from pathlib import Path

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Prepared(L.LightningDataModule):
    """prepare_data draws random numbers and writes a file, on one rank alone; all of them read it in setup."""

    def __init__(self, path: str = "prepared.pt"):
        super().__init__()
        self.path = Path(path)

    def prepare_data(self):
        torch.save(torch.randn(40, 4), self.path)

    def setup(self, stage):
        rows = torch.load(self.path)
        self.train, self.val = TensorDataset(rows[:32]), TensorDataset(rows[32:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=4)


class Denoiser(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = nn.functional.mse_loss(self.net(x + torch.randn_like(x)), x)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.mse_loss(self.net(batch[0]), batch[0]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)
