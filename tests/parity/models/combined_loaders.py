"""Several training loaders that are read together, in each of the ways that Lightning knows."""

import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def numbers(count, seed):
    return TensorDataset(torch.randn(count, 4, generator=torch.Generator().manual_seed(seed)))


class Combined(L.LightningModule):
    def __init__(self, mode: str = "dict"):
        super().__init__()
        self.mode = mode
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        parts = batch.values() if isinstance(batch, dict) else batch
        found = [part[0] for part in parts if part is not None]
        loss = sum((place + 1) * self.layers(x).square().mean() for place, x in enumerate(found))
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        self.log("parts", float(len(found)))
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch[0]).square().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        steps = self.trainer.estimated_stepping_batches
        return [optimizer], [torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=steps + 2)]

    def train_dataloader(self):
        loaders = {
            "few": DataLoader(numbers(20, 0), batch_size=4, shuffle=True),
            "many": DataLoader(numbers(40, 1), batch_size=5, shuffle=True),
        }
        if self.mode == "dict":
            return loaders
        return CombinedLoader(list(loaders.values()) if self.mode == "max_size" else loaders, self.mode)

    def val_dataloader(self):
        return DataLoader(numbers(16, 2), batch_size=4)
