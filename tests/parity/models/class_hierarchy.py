"""Bases in the same file, super() calls, and mixins on either side of the base."""

from abc import abstractmethod

import torch
from lightning.pytorch import LightningModule
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LogsPrefixed:
    """A mixin before the base."""

    prefix = "mixin"

    def log_prefixed(self, **values):
        self.log_dict({f"{self.prefix}/{k}": v for k, v in values.items()}, on_step=True, on_epoch=True)

    def on_train_epoch_start(self):
        self.epochs_started = getattr(self, "epochs_started", 0) + 1
        super().on_train_epoch_start()


class HasLoaders:
    """Another one."""

    def train_dataloader(self):
        return DataLoader(self.rows(32), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.rows(12), batch_size=4)


class HasRows:
    """A mixin behind the base."""

    @staticmethod
    def rows(n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, (x.sum(1) > 0).float())


class Base(LightningModule):
    def __init__(self, lr: float):
        super().__init__()
        self.lr = lr
        self.net = self.build()

    @abstractmethod
    def build(self) -> nn.Module:
        raise NotImplementedError

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.binary_cross_entropy_with_logits(self(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(self(x), y)
        self.log("val_loss", loss)
        return loss

    def on_train_epoch_end(self):
        self.log("base_epoch_end", 1.0 * self.current_epoch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Middle(LogsPrefixed, HasLoaders, Base, HasRows):
    prefix = "middle"

    def training_step(self, batch, batch_idx):
        loss = super().training_step(batch, batch_idx)
        self.log_prefixed(loss=loss, started=self.epochs_started)
        return loss

    def configure_optimizers(self):
        optimizer = super().configure_optimizers()
        return {
            "optimizer": optimizer,
            "lr_scheduler": torch.optim.lr_scheduler.ConstantLR(optimizer, 0.5, 2),
        }


class Final(Middle):
    def __init__(self, *args, hidden: int = 5, **kwargs):
        self.hidden = hidden
        super().__init__(*args, **kwargs)

    def build(self):
        return nn.Sequential(nn.Linear(4, self.hidden), nn.ReLU(), nn.Linear(self.hidden, 1))

    def training_step(self, batch, batch_idx):
        return super().training_step(self._prepare(batch), batch_idx)

    def _prepare(self, batch):
        x, y = batch
        return x + 0.05 * torch.randn_like(x), y

    def validation_step(self, *args, **kwargs):
        loss = super().validation_step(*args, **kwargs)
        self.log("val_loss_again", loss)

    def on_train_epoch_end(self):
        super().on_train_epoch_end()
        self.log("final_epoch_end", 2.0 * self.current_epoch)
