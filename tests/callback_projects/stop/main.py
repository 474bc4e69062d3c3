"""A callback that stops within an epoch, and checkpoints by steps."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class StopAfter(Callback):
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.global_step >= self.steps:
            trainer.should_stop = True


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

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


def main() -> None:
    pl.seed_everything(3)
    by_steps = ModelCheckpoint("steps", every_n_train_steps=2, save_top_k=-1)
    by_score = ModelCheckpoint(
        "scores", "{epoch}-{step}-{val_loss:.3f}", monitor="val_loss", save_top_k=2, save_last="link"
    )
    trainer = pl.Trainer(
        max_epochs=8,
        min_epochs=1,
        val_check_interval=0.5,
        callbacks=[by_steps, by_score, StopAfter(7), EarlyStopping("val_loss", patience=6)],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    loader = DataLoader(samples(), batch_size=4)
    trainer.fit(Classifier(), loader, DataLoader(samples(), batch_size=8))
    if trainer.is_global_zero:
        Path("result.txt").write_text(f"{trainer.current_epoch} {trainer.global_step} {by_score.best_model_score}")


if __name__ == "__main__":
    main()
