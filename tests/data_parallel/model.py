"""The same as LightningModules."""

import lightning as L
import torch
from layers import layers, samples
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = layers()

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return mse_loss(self.layers(x), x[:, :4].sin())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)


class Sums(Net):
    def training_step(self, batch, batch_idx):
        (x,) = batch
        return {"loss": mse_loss(self.layers(x), x[:, :4].sin(), reduction="sum")}
