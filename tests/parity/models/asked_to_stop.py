import json
import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, LearningRateMonitor
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Watcher(Callback):
    """Writes down what is so around the trial of validation."""

    def __init__(self):
        self.seen = []

    def on_sanity_check_start(self, trainer, pl_module):
        self.seen.append(["start", torch.is_grad_enabled(), trainer.sanity_checking])

    def on_sanity_check_end(self, trainer, pl_module):
        self.seen.append(["end", torch.is_grad_enabled(), trainer.sanity_checking])

    def on_fit_end(self, trainer, pl_module):
        with open(f"{os.environ['DDPGEN_HOOK_LOG']}.{trainer.global_rank}.json", "w") as file:
            json.dump(self.seen, file)


class NeverBetter(L.LightningModule):
    """Its loss is watched from the first epoch on, after which training is to stop: but not before its minima."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.layer(x), y))

    def configure_callbacks(self):
        stopping = EarlyStopping("train_loss", patience=1, mode="max")
        return [Watcher(), stopping, LearningRateMonitor("step")]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        x = torch.randn(44, 4)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(8, 4)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
