"""A run that fails: callbacks and the data module are told, a checkpoint is saved, loggers are closed."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, OnExceptionCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))
LINES = []


class Watching(Callback):
    def on_exception(self, trainer, pl_module, exception):
        LINES.append(f"callback: {exception!r} at {trainer.global_step}")
        for logger in trainer.loggers:
            logger.log_metrics({"failed": 1.0}, step=trainer.global_step)


class Samples(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def test_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def on_exception(self, exception):
        LINES.append(f"data: {exception!r}")


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        if self.current_epoch == 1 and batch_idx == 2:
            raise ValueError("the third batch")
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def test_step(self, batch, batch_idx):
        raise KeyError(batch_idx)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main() -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=4,
        log_every_n_steps=1,
        callbacks=[
            OnExceptionCheckpoint("failed"),
            Watching(),
            ModelCheckpoint("kept", save_on_exception=True, save_last=True),
        ],
        logger=CSVLogger("logs"),
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model, data = Classifier(), Samples()
    try:
        trainer.fit(model, datamodule=data)
    except ValueError as error:
        LINES.append(f"main: {error!r}")
    try:
        trainer.test(model, datamodule=data)
    except KeyError as error:
        LINES.append(f"main: {error!r}")
    if trainer.is_global_zero:
        Path("result.txt").write_text("\n".join(LINES))


if __name__ == "__main__":
    main()
