"""Cluster environments are changed to what a call makes, and asked for what the code itself uses."""

from functools import partial

import lightning as L
import torch
from lightning.pytorch.plugins.environments import LightningEnvironment, SLURMEnvironment


def any_port(environment, first):
    return first


def use_port(port: int) -> None:
    setattr(LightningEnvironment, "main_port", property(partial(any_port, first=port)))


def first_node(nodes: str) -> str:
    resolve = SLURMEnvironment.resolve_root_node_address
    SLURMEnvironment.resolve_root_node_address = resolve
    return resolve(nodes)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        use_port(29500)
        print(first_node("a,b"))
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))
