"""Several loaders for validation, of different lengths, in every form in which the hook may return them."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric


def samples(count, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 6, generator=generator)
    return TensorDataset(x, x[:, :3].argmax(1))


class Net(L.LightningModule):
    def __init__(self, form="list"):
        super().__init__()
        self.form = form
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))
        self.mean = MeanMetric()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx=0):
        self.last = dataloader_idx

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        assert self.last == dataloader_idx
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.mean.update(loss)
        self.log("val_loss", loss)
        self.log("val_both", loss, on_step=True, on_epoch=True)
        self.log("val_first", loss * 2, on_step=True, on_epoch=False)
        self.log("val_synced", loss, sync_dist=True, prog_bar=True)
        self.log("val_mean", self.mean)
        self.log(f"val_sum_{dataloader_idx}", loss, add_dataloader_idx=False, reduce_fx="sum")

    def on_validation_epoch_end(self):
        self.log("val_end", 2.0)
        self.mean.reset()

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        monitor = "val_loss" if self.form == "one" else "val_loss/dataloader_idx_1"
        return {"optimizer": optimizer, "lr_scheduler": schedule, "monitor": monitor}

    def train_dataloader(self):
        return DataLoader(samples(40, 0), batch_size=8, shuffle=True)

    def val_dataloader(self):
        loaders = [
            DataLoader(samples(21, 1), batch_size=8),
            DataLoader(samples(10, 2), batch_size=4, shuffle=True),
        ]
        if self.form == "one":
            return loaders[0]
        if self.form == "dict":
            return dict(zip("ab", loaders, strict=True))
        return tuple(loaders) if self.form == "tuple" else loaders
