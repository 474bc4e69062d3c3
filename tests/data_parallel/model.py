"""The same as LightningModules."""

import json
import os
from pathlib import Path

import lightning as L
import torch
import torch.distributed as dist
from layers import layers, samples
from torch import nn
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


class Limited(Base):
    """After one batch the second rank has no memory for more than two samples' gradients."""

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = mse_loss(self.layers(x), x[:, :4].sin())
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        if len(x) > 2 and self.global_rank and (batch_idx or self.current_epoch):
            loss.register_hook(no_memory)
        return loss


def no_memory(*given):
    raise torch.OutOfMemoryError("as torch says it")


class Noisy(Base):
    """With buffers and random numbers; the first rank has no memory for more than two samples."""

    def __init__(self):
        super().__init__()
        self.layers.insert(1, nn.Dropout(0.3))
        self.layers.insert(1, nn.BatchNorm1d(16))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        found = self.layers(x)
        if len(x) > 2 and not self.global_rank:
            no_memory()
        loss = mse_loss(found, x[:, :4].sin())
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss


class Normed(Base):
    """Which tells what its second layer has become; frozen, as DDP refuses SyncBatchNorm on the CPU."""

    def __init__(self):
        super().__init__()
        self.layers.insert(1, nn.BatchNorm1d(16)).requires_grad_(False)

    def training_step(self, batch, batch_idx):
        return self.layers(batch[0]).mean()

    def on_fit_start(self):
        layer = self.layers[1]
        group = getattr(layer, "process_group", None)
        told = type(layer).__name__, dist.get_process_group_ranks(group)
        Path(f"told-{self.global_rank}.json").write_text(json.dumps(told))


def converted(model):
    model.layers[1] = nn.LayerNorm(16)


class Sums(Base):
    def training_step(self, batch, batch_idx):
        (x,) = batch
        return {"loss": mse_loss(self.layers(x), x[:, :4].sin(), reduction="sum")}


def by_rank(batch, size):
    """The second rank has more parts than the first."""
    (x,) = batch
    for part in x.split(1 if int(os.environ["RANK"]) else len(x)):
        yield [part], len(part)
