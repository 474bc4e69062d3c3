"""Callbacks of another file, of several kinds, out of order, and some of the model's own."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint, ModelSummary, TQDMProgressBar
from recording import CALLED, Averaging, Patient, Recorder
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
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def on_train_epoch_end(self):
        CALLED.append("model on_train_epoch_end")

    def on_save_checkpoint(self, checkpoint):
        CALLED.append("model on_save_checkpoint")

    def on_fit_start(self):
        CALLED.append("model on_fit_start")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def configure_callbacks(self):
        return [Recorder("models"), Averaging(0.5)]


def main() -> None:
    pl.seed_everything(3)
    stopping = Patient("val_loss", patience=1, min_delta=0.1)
    saving = ModelCheckpoint("kept", save_top_k=-1, every_n_epochs=1)
    trainer = pl.Trainer(
        max_epochs=4,
        accumulate_grad_batches=2,
        callbacks=[saving, ModelSummary(2), stopping, Averaging(), TQDMProgressBar(refresh_rate=0)],
        logger=False,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Classifier()
    trainer.fit(model, DataLoader(samples(), batch_size=5), DataLoader(samples(), batch_size=8))
    trainer.save_checkpoint("final.ckpt")
    trainer.save_checkpoint("weights.ckpt", weights_only=True)


if __name__ == "__main__":
    main()
