import lightning as L
import torch
from keeping import Counting, Keeping
from layer_table import LAYERS
from torch import nn


class Base(L.LightningModule, metaclass=Keeping, label="base"):
    """A net of one layer."""

    def training_step(self, batch, batch_idx):
        loss = (self.layer(batch[0]) - self.hparams.shift).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams["rate"])


class Small(Base, label="small"):
    def __init__(self, width, rate=0.1, shift=0.5, activation=torch.tanh):
        super().__init__()
        self.layer = LAYERS["Wide"](width)
        self.activation = activation


class Steady(L.LightningModule, metaclass=Counting):
    def __init__(self, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = (self.layer(batch[0]) - self.hparams.count / 10).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)
