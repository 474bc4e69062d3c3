from typing import Literal

import lightning as L
import torch
from torch import nn
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import LambdaLR, StepLR
from torch.utils.data import DataLoader, TensorDataset


def no_decay(name: str) -> bool:
    return name.endswith("bias")


class Configurable(L.LightningModule):
    """The optimizer, the scheduler and the form in which they are returned depend on hyperparameters."""

    def __init__(
        self, optimizer: Literal["sgd", "adam"] = "sgd", schedule: str | None = None, lr: float = 0.05
    ):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, 9), nn.GELU(), nn.Linear(9, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return self._step(x, y, "train")

    def _step(self, x, y, stage):
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log(f"{stage}_loss", loss, on_step=True)
        return loss

    def _groups(self):
        decayed = [p for n, p in self.named_parameters() if not no_decay(n)]
        rest = [p for n, p in self.named_parameters() if no_decay(n)]
        return [{"params": decayed, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]

    def _make_optimizer(self):
        if self.hparams.optimizer == "sgd":
            return SGD(self._groups(), lr=self.hparams.lr)
        elif self.hparams.optimizer == "adam":
            return Adam(self._groups(), lr=self.hparams.lr)
        raise ValueError(self.hparams.optimizer)

    def configure_optimizers(self):
        optimizer = self._make_optimizer()
        if self.hparams.schedule is None:
            return optimizer
        if self.hparams.schedule == "step":
            return [optimizer], [StepLR(optimizer, 1, 0.1)]
        warmup = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": warmup, "interval": "step"}}

    def train_dataloader(self):
        g = torch.Generator().manual_seed(9)
        x = torch.randn(48, 4, generator=g)
        return DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=8, shuffle=True)
