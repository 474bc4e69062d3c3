"""ModelCheckpoint and EarlyStopping, in a list that is built elsewhere."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def callbacks() -> list[pl.Callback]:
    checkpoint = ModelCheckpoint(
        dirpath="kept", filename="{epoch}-{val_loss:.2f}", monitor="val_loss", save_top_k=2, save_last=True
    )
    return [checkpoint, EarlyStopping("val_loss", patience=2)]


def main() -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=20,
        callbacks=callbacks(),
        logger=False,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    loader = DataLoader(samples(), batch_size=4, shuffle=True)
    trainer.fit(Classifier(), loader, DataLoader(samples(), batch_size=4))
    checkpoint = trainer.checkpoint_callback
    if trainer.is_global_zero:
        path = Path(checkpoint.best_model_path).name
        stopped = trainer.early_stopping_callback.stopped_epoch
        Path("result.txt").write_text(f"{path} {checkpoint.best_model_score} {stopped} {trainer.current_epoch}")


if __name__ == "__main__":
    main()
