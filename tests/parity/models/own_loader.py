import lightning as L
import torch
from torch import nn


class Batches:
    """Neither dataset nor DataLoader: an object with a length that gives batches."""

    def __init__(self, n: int):
        self.n = n

    def __len__(self):
        return self.n

    def __iter__(self):
        for i in range(self.n):
            yield {"x": torch.randn(4, 3), "index": i}


class OnBatches(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.2))

    def training_step(self, batch, batch_idx):
        loss = self.net(batch["x"]).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("index", batch["index"])
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.net(batch["x"]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return Batches(6)

    def val_dataloader(self):
        return Batches(3)
