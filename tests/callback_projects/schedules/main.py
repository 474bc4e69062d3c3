"""Accumulation that changes from epoch to epoch, and callbacks that log as the model does."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, GradientAccumulationScheduler, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Later(GradientAccumulationScheduler):
    """Starts to accumulate when it is told to."""

    def __init__(self, first, count):
        super().__init__({first: count})

    def on_train_epoch_start(self, trainer, *args):
        super().on_train_epoch_start(trainer, *args)
        self.log("window", float(trainer.accumulate_grad_batches))


class Norms(Callback):
    """Logs in most of the hooks in which it may."""

    def of_gradients(self, model):
        return torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()

    def note(self, name, value):
        self.log(name, value, prog_bar=True)

    def on_train_start(self, trainer, pl_module):
        self.log("first_norm", sum(p.norm() for p in pl_module.parameters()).detach())

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        self.log("size", float(len(batch[0])), on_epoch=True, reduce_fx="max")

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        self.note("gradient", self.of_gradients(pl_module))

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.log_dict({"end/loss": outputs["loss"], "end/first": batch[0][0, 0]}, on_step=False, on_epoch=True)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.log("val_error", outputs, sync_dist=True)

    def on_validation_epoch_end(self, trainer, pl_module):
        self.log("at_end", trainer.callback_metrics["val_error"] * 2)

    def on_train_epoch_end(self, trainer, pl_module):
        self.log("weights", sum(p.norm() for p in pl_module.parameters()).detach(), batch_size=3)


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
        return (self.layers(x).argmax(1) != y).float().mean()

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


def main() -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=5,
        log_every_n_steps=1,
        callbacks=[GradientAccumulationScheduler({1: 3}), LearningRateMonitor(), Later(3, 2), Norms(), ModelCheckpoint("kept", save_top_k=-1)],
        logger=CSVLogger("logs"),
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    trainer.fit(Classifier(), DataLoader(samples(), batch_size=3), DataLoader(samples(), batch_size=8))


if __name__ == "__main__":
    main()
