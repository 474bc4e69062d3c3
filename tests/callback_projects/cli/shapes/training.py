"""The model, and its data."""

from pathlib import Path

import lightning.pytorch as pl
import torch.nn.functional as F
from lightning.pytorch.cli import LRSchedulerCallable, OptimizerCallable
from torch import nn
from torch.utils.data import DataLoader

from .samples import samples


class Classifier(pl.LightningModule):
    def __init__(
        self, activation: nn.Module, optimizer: OptimizerCallable, scheduler: LRSchedulerCallable, hidden: int = 4
    ) -> None:
        super().__init__()
        self.optimizer, self.scheduler = optimizer, scheduler
        self.layers = nn.Sequential(nn.Linear(6, hidden), activation, nn.Dropout(0.2), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = self.optimizer(self.parameters())
        return {"optimizer": optimizer, "lr_scheduler": self.scheduler(optimizer)}


class Shapes(pl.LightningDataModule):
    def __init__(self, root: Path, sizes: tuple[int, ...], batch_size: int = 2) -> None:
        super().__init__()
        self.batch_size = batch_size
        assert isinstance(root, Path)
        assert sizes == (1, 2, 3)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(), batch_size=self.batch_size)
