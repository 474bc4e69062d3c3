"""Stochastic weight averaging, with BatchNorm, whose statistics are taken in an epoch more; stopped and gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, LearningRateMonitor, ModelCheckpoint, StochasticWeightAveraging
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Losses(Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pl_module.log("end", outputs["loss"])


class Classifier(pl.LightningModule):
    def __init__(self, normalizes: bool, dropout: float) -> None:
        super().__init__()
        norm = nn.BatchNorm1d(8) if normalizes else nn.Identity()
        self.layers = nn.Sequential(nn.Linear(6, 8), norm, nn.ReLU(), nn.Dropout(dropout), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)]


def train(name, normalizes, max_epochs, averaging, dropout=0.2, ckpt_path=None, validates=True) -> None:
    pl.seed_everything(3)
    kept = ModelCheckpoint(f"kept/{name}", save_top_k=-1, every_n_epochs=1)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        accumulate_grad_batches=3,
        gradient_clip_val=0.5,
        log_every_n_steps=1,
        logger=CSVLogger("logs", name=name),
        callbacks=[LearningRateMonitor(), averaging, Losses(), kept],
        limit_val_batches=1.0 if validates else 0,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    train_loader = DataLoader(samples(), batch_size=4, shuffle=dropout > 0)
    trainer.fit(Classifier(normalizes, dropout), train_loader, DataLoader(samples(), batch_size=8), ckpt_path=ckpt_path)


def main() -> None:
    train("normalized", True, 4, StochasticWeightAveraging(swa_lrs=0.05, swa_epoch_start=0.5, annealing_epochs=2))
    train("plain", False, 4, StochasticWeightAveraging([0.05], 2, annealing_strategy="linear", device=None))
    train("unvalidated", True, 3, StochasticWeightAveraging(0.05, 2, annealing_epochs=1), validates=False)
    train("whole", True, 5, StochasticWeightAveraging(0.05, swa_epoch_start=2), dropout=0.0)
    last = max(os.listdir("kept/whole"), key=lambda name: name.startswith("epoch=2"))
    train("resumed", True, 5, StochasticWeightAveraging(0.05, 2), dropout=0.0, ckpt_path=f"kept/whole/{last}")


if __name__ == "__main__":
    main()
