"""An experiment of Comet, in training and in a test; a package of the same name takes down what it is told."""

import os

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CometLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Net(pl.LightningModule):
    def __init__(self, width: int = 4, lr: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).abs().mean(), sync_dist=True)

    def on_train_end(self):
        self.logger.experiment.log_other("steps", self.global_step)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


def main() -> None:
    pl.seed_everything(3)
    data = DataLoader(TensorDataset(torch.arange(32.0).view(8, 4) / 32), batch_size=2)
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        logger=CometLogger(project="nets", prefix="own", name="first", tags=["small"], save_dir="kept"),
        callbacks=ModelCheckpoint(monitor="val_loss"),
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Net()
    trainer.fit(model, data, data)
    trainer.test(model, data)


if __name__ == "__main__":
    main()
