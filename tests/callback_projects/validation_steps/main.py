"""Trainers that fit fold after fold, whose loggers are told the values of each batch of validation, under its number.

Lightning counts the batches anew in each `fit`: its loaders are asked for again.
"""

import os

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.loggers.logger import Logger
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Notes(Logger):
    def __init__(self, file):
        super().__init__()
        self.file = file

    @property
    def name(self):
        return "notes"

    @property
    def version(self):
        return 0

    @rank_zero_only
    def log_hyperparams(self, params):
        pass

    @rank_zero_only
    def log_metrics(self, metrics, step=None):
        values = {name: float(metrics[name]) for name in sorted(metrics)}
        with open(self.file, "a") as file:
            file.write(f"{step} {values}\n")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Learner(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layer(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        loss = F.cross_entropy(self.layer(batch[0]), batch[1])
        self.log("val_loss", loss, on_step=True, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer_of(epochs, logger):
    return L.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
        logger=logger,
        log_every_n_steps=2,
        enable_progress_bar=False,
        enable_checkpointing=False,
        val_check_interval=0.5,
    )


def folds(trainer, more, val_of):
    for fold in range(3):
        trainer.fit(Learner(), DataLoader(samples(16, fold), batch_size=4), val_of(fold))
        trainer.fit_loop.max_epochs += more


def one(fold):
    return DataLoader(samples(12 + 4 * fold, 9), batch_size=4)


def two(fold):
    return [one(fold), DataLoader(samples(8, fold), batch_size=4)]


if __name__ == "__main__":
    L.seed_everything(2)
    folds(trainer_of(2, Notes("goes_on.txt")), 1, one)
    folds(trainer_of(1, Notes("fits_once.txt")), 0, one)
    folds(trainer_of(1, Notes("of_two.txt")), 2, two)
    folds(trainer_of(1, CSVLogger("logs", flush_logs_every_n_steps=1)), 1, one)
