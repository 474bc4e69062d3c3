import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Numbers(IterableDataset):
    def __iter__(self):
        for number in range(9):
            x = torch.full((4,), number / 9)
            yield x, x.sum(0, keepdim=True)


class StreamsBeside(L.LightningModule):
    """Some loaders read streams, which each rank reads whole, and others rows, of which each rank reads a share."""

    def __init__(self, streams: bool = False):
        super().__init__()
        self.streams = streams
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def on_validation_epoch_start(self):
        self.log("drawn", torch.rand(()))

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.layer(x), y))
        self.log("rows", len(x), reduce_fx="sum")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        if self.streams:
            return DataLoader(Numbers(), batch_size=4)
        return DataLoader(self.rows(24), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(self.rows(10), batch_size=4), DataLoader(Numbers(), batch_size=4)]

    def rows(self, count):
        x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
        return TensorDataset(x, x.sum(1, keepdim=True))
