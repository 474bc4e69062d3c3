from functools import partial

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def log_norms(module, parameters):
    for name, parameter in parameters:
        module.log(f"norm/{name}", parameter.detach().norm(), on_step=True, on_epoch=True)


class Reporter:
    def __init__(self, log):
        self.log = log

    def __call__(self, **values):
        for name, value in values.items():
            self.log(name, value)


class LogsFromOutside(L.LightningModule):
    """`log` called by functions and objects that were given it, and overridden to add a prefix."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def log(self, name, value, *args, **kwargs):
        super().log(f"{self.stage}/{name}", value, *args, **kwargs)

    @property
    def stage(self):
        return "train" if self.training else "val"

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        put = partial(self.log, on_epoch=True)
        put("loss", loss)
        log_norms(self, self.net.named_parameters())
        Reporter(self.log)(half=loss / 2)
        self.log("in_bar", loss, True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("loss", self.net(batch[0]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )

    def val_dataloader(self):
        return self.train_dataloader()
