"""Callbacks that swap the optimizer for one round it: validated and tested with averaged weights, gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from averaging import Averaging
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)]


def train(name, model, max_epochs, averaging, ckpt_path=None) -> None:
    pl.seed_everything(3)
    kept = ModelCheckpoint(f"kept/{name}", monitor="val_loss", save_top_k=-1, save_last=True)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        gradient_clip_val=0.5,
        log_every_n_steps=1,
        logger=CSVLogger("logs", name=name),
        callbacks=[LearningRateMonitor(), averaging, kept],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
        accumulate_grad_batches=2,
    )
    train_loader = DataLoader(samples(), batch_size=4)
    trainer.fit(model, train_loader, DataLoader(samples(), batch_size=8), ckpt_path=ckpt_path)
    trainer.test(model, DataLoader(samples(), batch_size=8))


def main() -> None:
    train("plain", Classifier(), 2, Averaging(0.8))
    train("plain", Classifier(), 3, Averaging(0.8, every=2), ckpt_path="kept/plain/last.ckpt")


if __name__ == "__main__":
    main()
