"""Cluster environments are changed in functions, in branches and by name, with what is installed and a logger."""

import logging
import os

import lightning as L
import lightning.pytorch.loggers.wandb as wandb
import torch
from lightning.fabric.plugins.environments.slurm import SLURMEnvironment
from lightning.pytorch.plugins.environments import LightningEnvironment

setattr(wandb, "_WANDB_AVAILABLE", True)
SLURMEnvironment.detect = staticmethod(lambda: False)
L._logger.handlers = []
L._logger.propagate = True
L._logger.setLevel(logging.ERROR)


def use_fast_network() -> None:
    """Meet by the names that nodes have in the fast network."""
    if os.environ.get("SYSTEM") != "fast":
        return
    old = SLURMEnvironment.resolve_root_node_address

    def with_suffix(nodes):
        found = old(nodes)
        return found + "i" if found else found

    SLURMEnvironment.__old_address = old
    SLURMEnvironment.resolve_root_node_address = with_suffix


def use_port(port: int) -> None:
    before = LightningEnvironment.main_port
    setattr(LightningEnvironment, "main_port", property(before))


def by_name() -> None:
    def address(nodes):
        return nodes.split(",")[0]

    setattr(SLURMEnvironment, "resolve_root_node_address", staticmethod(address))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        use_fast_network()
        use_port(29500)
        by_name()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))
