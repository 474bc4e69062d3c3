"""Callbacks out of a table that a configuration selects; validation and checkpoints by steps that it gives."""

import os
from pathlib import Path
from types import SimpleNamespace

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

CONFIG = SimpleNamespace(
    devices=int(os.environ.get("DEVICES", 1)), steps=20, interval=3, patience=1, callbacks=["best", "stop", "regular"]
)


def best(config):
    return pl.callbacks.ModelCheckpoint(dirpath="best", monitor="val_loss", save_top_k=2, filename="{step}")


def stop(config):
    return pl.callbacks.EarlyStopping("val_loss", patience=config.patience, check_on_train_epoch_end=False)


def regular(config):
    return pl.callbacks.ModelCheckpoint("regular", every_n_train_steps=config.interval + 1, save_top_k=-1)


CALLBACKS = {"best": best, "stop": stop, "regular": regular}


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=4.0)


def run(config) -> None:
    pl.seed_everything(3)
    callbacks = [CALLBACKS[name](config) for name in config.callbacks]
    trainer = pl.Trainer(
        max_epochs=-1,
        max_steps=config.steps,
        min_steps=config.steps // 4,
        val_check_interval=config.interval,
        check_val_every_n_epoch=None,
        callbacks=callbacks,
        logger=False,
        enable_progress_bar=False,
        accelerator="cpu",
        devices=config.devices,
        strategy="ddp" if config.devices > 1 else "auto",
    )
    trainer.fit(Classifier(), DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8))
    if trainer.is_global_zero:
        Path("result.txt").write_text(f"{trainer.current_epoch} {trainer.global_step} {callbacks[1].stopped_epoch}")


run(CONFIG)
