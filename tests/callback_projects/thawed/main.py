"""Layers that hooks thaw in the middle of a training, and have optimizers made anew for; stopped and gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Classifier(pl.LightningModule):
    def __init__(self, wide: int = 8) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, wide), nn.BatchNorm1d(wide), nn.Linear(wide, wide), nn.ReLU())
        self.head = nn.Linear(wide, 3)
        self.encoder.requires_grad_(False)
        self.is_thawed = False

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.head(self.encoder(x)), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.head(self.encoder(x)), y), sync_dist=True)

    def groups(self):
        groups = [{"params": self.head.parameters(), "lr": 0.1}]
        if self.is_thawed:
            groups.append({"params": self.encoder.parameters(), "lr": 0.02})
        return groups


class Thawed(Classifier):
    """What is made of a step or an epoch is known when the code runs."""

    def __init__(self, when: str, at: int, interval: str = "epoch") -> None:
        super().__init__()
        self.when, self.at, self.interval = when, at, interval

    def thaw(self) -> None:
        self.encoder.requires_grad_(True)
        self.is_thawed = True
        self.trainer.strategy.setup_optimizers(self.trainer)
        print(self.current_epoch, self.global_step, len(self.trainer.optimizers[0].param_groups))

    def on_train_start(self):
        if self.when == "on_train_start":
            self.thaw()

    def on_train_epoch_start(self):
        if self.when == "on_train_epoch_start" and self.current_epoch == self.at:
            self.thaw()

    def on_train_batch_start(self, batch, batch_idx):
        if self.when == "on_train_batch_start" and not self.is_thawed and self.global_step >= self.at:
            self.thaw()

    def on_train_batch_end(self, outputs, batch, batch_idx):
        if self.when == "on_train_batch_end" and self.current_epoch == self.at and self.trainer.is_last_batch:
            self.thaw()

    def on_train_epoch_end(self):
        if self.when == "on_train_epoch_end" and self.current_epoch == self.at:
            self.thaw()

    def on_validation_epoch_end(self):
        is_due = self.current_epoch == self.at and not self.trainer.sanity_checking
        if self.when == "on_validation_epoch_end" and is_due:
            self.thaw()

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.groups())
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": self.interval}}


class ByEpoch(Classifier):
    """A callback thaws it."""

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.groups(), momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


class Thawing(pl.Callback):
    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.current_epoch == self.epoch:
            pl_module.encoder[2].requires_grad_(True)
            pl_module.is_thawed = True
            trainer.strategy.setup_optimizers(trainer)


def trainer_for(name, *callbacks, max_epochs=4):
    return pl.Trainer(
        max_epochs=max_epochs,
        log_every_n_steps=1,
        gradient_clip_val=0.5,
        accumulate_grad_batches=2,
        logger=CSVLogger("logs", name=name),
        callbacks=[*callbacks, LearningRateMonitor(), ModelCheckpoint(f"kept/{name}", save_top_k=-1)],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )


def loaders():
    return DataLoader(samples(), batch_size=6), DataLoader(samples(), batch_size=8)


def train(name, when, at, interval="epoch", ckpt_path=None) -> None:
    pl.seed_everything(3)
    model = Thawed(when, at, interval)
    train_loader, val_loader = loaders()
    trainer_for(name).fit(model, train_loader, val_loader, ckpt_path=ckpt_path)


def train_by_callback(name, epoch) -> None:
    pl.seed_everything(3)
    train_loader, val_loader = loaders()
    trainer_for(name, Thawing(epoch)).fit(ByEpoch(), train_loader, val_loader)


def main() -> None:
    for when, at in (("on_train_start", 0), ("on_train_epoch_start", 2), ("on_train_batch_start", 5)):
        train(when, when, at, "step")
    for when, at in (("on_train_batch_end", 1), ("on_train_epoch_end", 1), ("on_validation_epoch_end", 1)):
        train(when, when, at)
    for name in sorted(os.listdir("kept/on_train_epoch_start"))[1:2]:
        train("resumed", "on_train_epoch_start", 2, "step", ckpt_path=f"kept/on_train_epoch_start/{name}")
    train_by_callback("callback", 1)


if __name__ == "__main__":
    main()
