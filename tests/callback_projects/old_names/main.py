"""The package by its other name, its parts by their longest: as in code that is some years old."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from pytorch_lightning import loggers as pl_loggers
from pytorch_lightning.callbacks.early_stopping import EarlyStopping
from pytorch_lightning.callbacks.lr_monitor import LearningRateMonitor
from pytorch_lightning.callbacks.model_checkpoint import ModelCheckpoint
from pytorch_lightning.utilities.types import EVAL_DATALOADERS, TRAIN_DATALOADERS
from samples import samples
from torch import nn
from torch.utils.data import DataLoader, random_split

DEVICES = int(os.environ.get("DEVICES", 1))


class DataModule(pl.LightningDataModule):
    def __init__(self, hparams: Namespace) -> None:
        super().__init__()
        self.save_hyperparameters(hparams)

    def setup(self, stage=None):
        if stage == "fit" or stage is None:
            whole = samples()
            val = len(whole) // 4
            generator = torch.Generator().manual_seed(self.hparams.seed)
            self.train, self.val = random_split(whole, [len(whole) - val, val], generator)
        if stage == "test" or stage is None:
            self.test = samples()

    def train_dataloader(self) -> TRAIN_DATALOADERS:
        return DataLoader(self.train, batch_size=self.hparams.batch_size, shuffle=True, num_workers=0)

    def val_dataloader(self) -> EVAL_DATALOADERS:
        return DataLoader(self.val, batch_size=self.hparams.batch_size)

    def test_dataloader(self) -> EVAL_DATALOADERS:
        return DataLoader(self.test, batch_size=self.hparams.batch_size)


class Model(pl.LightningModule):
    def __init__(self, hparams: Namespace) -> None:
        super().__init__()
        self.save_hyperparameters(hparams)
        self.layer_1 = nn.Linear(6, hparams.hidden)
        self.layer_2 = nn.Linear(hparams.hidden, 3)
        self.losses = []

    def forward(self, x):
        return self.layer_2(F.relu(self.layer_1(x)))

    def training_step(self, batch, batch_nb):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True, prog_bar=True, logger=True)
        return {"loss": loss}

    def validation_step(self, batch, batch_nb):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.losses.append(loss)
        return {"val_loss": loss}

    def on_validation_epoch_end(self):
        avg_loss = torch.stack(self.losses).mean()
        self.losses.clear()
        self.log("avg_val_loss", avg_loss, sync_dist=True)

    def test_step(self, batch, batch_nb):
        x, y = batch
        self.log("test_acc", (self(x).argmax(1) == y).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)]


def main(hparams: Namespace) -> None:
    pl.seed_everything(hparams.seed)
    model = Model(hparams)
    logger = pl_loggers.CSVLogger(save_dir=hparams.log_dir, name="old")
    checkpoint_callback = ModelCheckpoint(
        dirpath=os.path.join(hparams.log_dir, "ckpt"),
        filename="{epoch}-{step}",
        monitor="avg_val_loss",
        verbose=True,
        mode="min",
        save_top_k=1,
        save_last=True,
    )
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
        max_epochs=hparams.epochs,
        log_every_n_steps=hparams.log_every,
        logger=logger,
        num_sanity_val_steps=0,
        callbacks=[checkpoint_callback, EarlyStopping("avg_val_loss", patience=2), LearningRateMonitor("step")],
        enable_progress_bar=False,
    )
    dm = DataModule(hparams)
    trainer.fit(model, datamodule=dm)
    results = trainer.test(ckpt_path=checkpoint_callback.best_model_path, datamodule=dm)
    if trainer.is_global_zero:
        Path("result.txt").write_text(f"{results} {trainer.current_epoch} {trainer.global_step}")


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--batch_size", default=4, type=int)
    parser.add_argument("--epochs", default=6, type=int)
    parser.add_argument("--hidden", default=7, type=int)
    parser.add_argument("--learning_rate", default=0.05, type=float)
    parser.add_argument("--log_dir", default="logs")
    parser.add_argument("--log_every", default=3, type=int)
    parser.add_argument("--seed", default=4, type=int)
    main(parser.parse_args())
