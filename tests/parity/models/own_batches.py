import lightning as L
import torch
from torch import nn


class Batches:
    """An object that gives batches, and does not know how many."""

    def __init__(self, n: int):
        self.n = n

    def __iter__(self):
        for _ in range(self.n):
            yield torch.randn(4, 3)


class OnBatches(L.LightningModule):
    """Whether a batch is an epoch's last is known once the next is asked for (4.8)."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.2))

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.net(batch).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return Batches(6)

    def val_dataloader(self):
        return Batches(3)
