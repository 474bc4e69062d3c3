"""A small model whose samples and steps draw random numbers; it tells whoever listens where it is."""

import sys

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    """Samples with noise, drawn anew each time."""

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.arange(index, index + 4).sin() + torch.rand(4) / 9


class Net(pl.LightningModule):
    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 4))

    def training_step(self, batch, batch_idx):
        sys.audit("model", f"training {self.current_epoch}:{batch_idx}")
        loss = (self.layers(batch) - batch).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        sys.audit("model", f"validating {self.current_epoch}:{batch_idx}")
        self.log("val_loss", (self.layers(batch) - batch).square().mean(), sync_dist=True)

    def on_save_checkpoint(self, checkpoint):
        sys.audit("model", f"saving {self.current_epoch}")

    def on_load_checkpoint(self, checkpoint):
        sys.audit("model", "loading")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)

    def train_dataloader(self):
        return DataLoader(Noisy(), 2, shuffle=True)

    def val_dataloader(self):
        return DataLoader(Noisy(), 8)
