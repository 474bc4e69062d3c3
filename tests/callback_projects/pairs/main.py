"""Several loaders that a main hands to fit: read together in training, one after the other in validation."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Pulled(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.1), nn.Linear(8, 3))

    def loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch["labelled"]) + 0.1 * self.layers(batch["other"][0]).square().mean()
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.loss(batch), on_step=True, on_epoch=True, sync_dist=True)

    def on_train_batch_end(self, outputs, batch, batch_idx):
        assert self.trainer.train_dataloader.keys() == batch.keys()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main() -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        callbacks=ModelCheckpoint("kept", monitor="val_loss/dataloader_idx_1", save_top_k=-1),
        logger=CSVLogger("logs"),
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    train = {
        "labelled": DataLoader(samples(), batch_size=4, shuffle=True),
        "other": DataLoader(samples(12), batch_size=3, shuffle=True),
    }
    trainer.fit(Pulled(), train, [DataLoader(samples(8), batch_size=4), DataLoader(samples(12), batch_size=4)])


if __name__ == "__main__":
    main()
