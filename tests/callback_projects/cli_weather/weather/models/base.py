import lightning.pytorch as pl
import torch
from torch import nn

from ..losses import loss_of


class Forecaster(pl.LightningModule):
    """What all forecasters have in common."""

    def __init__(self, days: int, stations: int, hidden: int = 4, rate: float = 0.05) -> None:
        super().__init__()
        self.days, self.rate = days, rate
        self.head = nn.Linear(hidden, stations)

    def features(self, x):
        raise NotImplementedError

    def forward(self, x):
        return self.head(self.features(x))

    def warm_up(self, bias: float) -> None:
        nn.init.constant_(self.head.bias, bias)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = loss_of(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", loss_of(self(x), y, power=1), sync_dist=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_loss", loss_of(self(x), y, power=1), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.rate)
