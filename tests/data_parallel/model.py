"""The same as LightningModules."""

import os

import lightning as L
import torch
from layers import layers, samples
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = layers()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)


class Net(Base):
    most = 4

    def training_step(self, batch, batch_idx):
        (x,) = batch
        assert len(x) <= self.most
        loss = mse_loss(self.layers(x), x[:, :4].sin())
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        self.log("largest", x.max(), on_step=False, on_epoch=True, reduce_fx="max")
        return loss


class InParts(Net):
    most = 3


class Sums(Base):
    def training_step(self, batch, batch_idx):
        (x,) = batch
        return {"loss": mse_loss(self.layers(x), x[:, :4].sin(), reduction="sum")}


def by_rank(batch, size):
    """The second rank has more parts than the first."""
    (x,) = batch
    for part in x.split(1 if int(os.environ["RANK"]) else len(x)):
        yield [part], len(part)
