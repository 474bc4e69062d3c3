import json
import os
from dataclasses import dataclass

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Points:
    """A batch with tensors of several types."""

    x: torch.Tensor
    y: torch.Tensor
    more: dict


def collate(samples):
    x, y = (torch.stack(each) for each in zip(*samples, strict=True))
    return Points(x, y, {"labels": y.squeeze(1) > 0, "pair": (y.double(), x.half()), "name": "points"})


def kinds(value):
    """The types of the tensors in a value, in any nesting."""
    if isinstance(value, Points):
        return kinds([value.x, value.y, value.more])
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [kinds(each) for each in value]
    return str(value.dtype) if isinstance(value, torch.Tensor) else str(type(value).__name__)


class SeesTypes(L.LightningModule):
    """Writes down in each hook which types it sees, and which new tensors get."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 6)
        self.last = None
        self.calls = []
        self.note("__init__", self.first.weight)

    def note(self, hook, *seen):
        self.calls.append([hook, str(torch.zeros(1).dtype), torch.is_autocast_enabled("cpu"), kinds(seen)])

    def configure_model(self):
        if self.last is None:
            self.last = nn.Linear(6, 1)
            self.note("configure_model", self.first.weight, self.last.weight)

    def configure_optimizers(self):
        self.note("configure_optimizers", self.first.weight, self.last.weight)
        return torch.optim.Adam(self.parameters(), lr=0.02)

    def forward(self, batch):
        hidden = torch.relu(self.first(batch.x))
        return hidden, self.last(hidden)

    def on_before_batch_transfer(self, batch, dataloader_idx):
        self.note("on_before_batch_transfer", batch)
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        self.note("on_after_batch_transfer", batch)
        return batch

    def on_train_batch_start(self, batch, batch_idx):
        self.note("on_train_batch_start", batch)

    def training_step(self, batch, batch_idx):
        hidden, predicted = self(batch)
        loss = nn.functional.mse_loss(predicted, batch.y)
        self.note("training_step", hidden, predicted, loss)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("hidden", hidden.mean(), on_step=True, on_epoch=True)
        self.log("tenth", 0.1, on_step=True, on_epoch=True)
        for reduce in ("mean", "sum", "min", "max"):
            self.log(f"share_{reduce}", (predicted > 0).float().mean() / 3, reduce_fx=reduce, on_epoch=True)
        return loss

    def on_before_backward(self, loss):
        self.note("on_before_backward", loss)

    def on_after_backward(self):
        self.note("on_after_backward", self.first.weight.grad)

    def on_before_optimizer_step(self, optimizer):
        self.note("on_before_optimizer_step", self.first.weight.grad)

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.note("on_train_batch_end", outputs)
        self.log("later", (outputs["loss"] > 0.2).float() / 3, on_epoch=True)

    def validation_step(self, batch, batch_idx):
        hidden, predicted = self(batch)
        self.note("validation_step", hidden, predicted)
        self.log("val_hidden", hidden.mean(), sync_dist=True)
        self.log("val_share", (predicted > 0).float().mean() / 3, sync_dist=True)
        return predicted

    def on_validation_batch_end(self, outputs, batch, batch_idx):
        self.note("on_validation_batch_end", outputs)

    def on_fit_end(self):
        path = f"{os.environ['DDPGEN_HOOK_LOG']}.{self.global_rank}.json"
        with open(path, "w") as file:
            json.dump(self.calls, file)

    def train_dataloader(self):
        x = torch.randn(44, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 4, shuffle=True, collate_fn=collate)

    def val_dataloader(self):
        x = torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 3, collate_fn=collate)
