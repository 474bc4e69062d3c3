"""A regression whose optimizer is described by settings over its own."""

import os

import lightning as L
import torch
from making import get_obj_from_str, instantiate_from_config
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, TensorDataset


class Regression(L.LightningModule):
    def __init__(self, width, optimizer, loss=None):
        super().__init__()
        if weights := os.environ.get("WEIGHTS"):
            loss = {"target": "losses.weighted.WeightedLoss", "params": {"path": weights}}
        self.loss = instantiate_from_config(loss)
        self.net = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))
        self.optimizer = optimizer
        self.register_buffer("counted", torch.zeros(()))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        default = {"target": "torch.optim.SGD", "params": {"lr": 0.1, "momentum": 0.9}}
        described = OmegaConf.merge(default, self.optimizer)
        return get_obj_from_str(described.target)(self.parameters(), **described.params)


def loader():
    generator = torch.Generator().manual_seed(11)
    x = torch.randn(48, 4, generator=generator)
    return DataLoader(TensorDataset(x, x.sum(dim=1, keepdim=True)), batch_size=4)
