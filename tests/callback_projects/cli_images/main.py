"""A LightningCLI of its own: the logger is set before the fit, optimizers are configured here, the best is tested."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.cli import LightningArgumentParser, LightningCLI
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

WARM = 4


def warmed(step: int) -> float:
    return min(1.0, (step + 1) / WARM)


class Images(pl.LightningDataModule):
    def __init__(self, name: str = "digits", batch_size: int = 4) -> None:
        super().__init__()
        self.save_hyperparameters()

    def train_dataloader(self):
        return DataLoader(samples(32), batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(12), batch_size=self.hparams.batch_size)

    def test_dataloader(self):
        return DataLoader(samples(9), batch_size=3)


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 4, depth: int = 1) -> None:
        super().__init__()
        self.save_hyperparameters()
        inner = [layer for _ in range(depth) for layer in (nn.Linear(hidden, hidden), nn.Tanh())]
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), *inner, nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("train_loss", loss, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)


class ImagesCLI(LightningCLI):
    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        def deeper(size):
            return size // 2

        parser.add_argument("--run.name", default="first")
        parser.add_argument("--run.note", default=None)
        parser.add_lightning_class_args(ModelCheckpoint, "checkpoint")
        parser.set_defaults({"checkpoint.monitor": "val_loss", "checkpoint.filename": "{epoch}"})
        parser.link_arguments("data.batch_size", "model.hidden", compute_fn=self.wider)
        parser.link_arguments("data.batch_size", "model.depth", compute_fn=deeper)

    @staticmethod
    def wider(size):
        """As many as there are images."""
        return size + 3

    @staticmethod
    def configure_optimizers(lightning_module, optimizer, lr_scheduler=None):
        if lr_scheduler is None:
            return optimizer
        warm = torch.optim.lr_scheduler.LambdaLR(optimizer, warmed)
        several = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, lr_scheduler], milestones=[WARM])
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": several, "interval": "step"}}

    def before_fit(self) -> None:
        run = self.config["fit"]["run"]
        folder = os.path.join("logs", self.datamodule.hparams.name, self.model.__class__.__name__)
        self.trainer.logger = CSVLogger(save_dir=folder, name=run["name"], version=3)
        for callback in self.trainer.callbacks:
            if isinstance(callback, ModelCheckpoint):
                callback.dirpath = os.path.join(self.trainer.logger.log_dir, "kept")

    def after_fit(self) -> None:
        self.trainer.test(self.model, datamodule=self.datamodule, ckpt_path="best")


if __name__ == "__main__":
    ImagesCLI(Classifier, Images, seed_everything_default=7, save_config_callback=None)
