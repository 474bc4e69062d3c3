"""A Trainer that is given no logger, and asked for it."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Notes(Callback):
    """Logs when validation is over, which its values come before."""

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            for logger in getattr(trainer, "loggers", []):
                logger.log_metrics({"validated": 1.0}, step=trainer.global_step)


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 8, lr: float = 0.1, head: dict | None = None) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def step(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        self.log("hidden", loss, logger=False)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val/loss", self.step(batch), on_step=True, on_epoch=True, sync_dist=True)

    def on_train_epoch_end(self):
        if (logger := getattr(self, "logger", None)) is not None:
            logger.experiment.add_histogram("bias", self.layers[0].bias, self.current_epoch)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def main() -> None:
    pl.seed_everything(3)
    model = Classifier(head={"width": 3, "bias": True})
    train, val = DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8)
    for _ in range(2):
        trainer = pl.Trainer(
            max_epochs=1,
            log_every_n_steps=2,
            callbacks=[Notes(), ModelCheckpoint(save_weights_only=True)],
            accelerator="cpu",
            strategy="ddp" if DEVICES > 1 else "auto",
            devices=DEVICES,
            default_root_dir="root",
        )
        trainer.fit(model, train, val)


if __name__ == "__main__":
    main()
