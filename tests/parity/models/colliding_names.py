"""Names that a training script would like to use itself."""

from dataclasses import dataclass, field, fields

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

config = {"hidden": 5}
window, ranks, epoch, last = 3, 2, 1, "last"
bar = metrics_file = None


@dataclass
class Config:
    lr: float = 0.1
    extra: list = field(default_factory=list)


class Ranks(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.layer(x).argsort(1).float() * 0.01 + self.layer(x)


class Logs(list):
    pass


def validate(model, loader):
    return len(list(loader))


def shard(x):
    return x * window / ranks


def seed_everything(x):
    return x + epoch


def to_device(x):
    return shard(x)


def fit(x):
    return to_device(x)


def main():
    return fit(1.0)


def wrap(names):
    return [f.name for f in fields(names)]


class Trainer:
    pass


class TrainModule(L.LightningModule):
    """The model, called as the script's own base class would be."""

    def __init__(
        self,
        out: int = 1,
        seed: int = 3,
        resume: float = 0.5,
        device: str = "cpu",
        max_epochs: int = 7,
        batch_size: int = 2,
        step: bool = True,
        checkpoint: str = "none",
    ):
        super().__init__()
        self.save_hyperparameters()
        self.config = Config()
        self.logs = Logs()
        self.ranks = Ranks(3)
        self.step = nn.Linear(3, out)
        self.first = self.hparams.seed + self.hparams.max_epochs + len(wrap(self.config))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.step(self.ranks(x)), y) * self.hparams.resume
        self.logs.append(loss.item())
        self.log("loss", loss * main())
        self.log("first", self.first + seed_everything(0))
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val", nn.functional.mse_loss(self.step(self.ranks(x)), y))

    def on_train_epoch_end(self):
        self.log("seen", len(self.logs) + validate(self, [1]))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.config.lr)
        return optimizer


class Data(L.LightningDataModule):
    def __init__(self, batch_size: int = 6, out: int = 24, seed: int = 1):
        super().__init__()
        self.batch_size, self.out, self.seed = batch_size, out, seed

    def loader(self):
        x = torch.randn(self.out, 3, generator=torch.Generator().manual_seed(self.seed))
        return DataLoader(TensorDataset(x, x[:, :1]), batch_size=self.batch_size)

    def train_dataloader(self):
        return self.loader()

    def val_dataloader(self):
        return self.loader()
