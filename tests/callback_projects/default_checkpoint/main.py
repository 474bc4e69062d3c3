"""Trainers that are given no ModelCheckpoint, and are asked for the one that Lightning makes."""

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
KEEPS_ALL = bool(os.environ.get("KEEPS_ALL"))


class Notes(Callback):
    """Asks for it while the training goes on."""

    def on_train_epoch_end(self, trainer, pl_module):
        pl_module.paths.append(Path(trainer.checkpoint_callback.best_model_path).name)


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.paths = []
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))

    def loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def callbacks():
    """A list that may have one that saves, or not."""
    found = [EarlyStopping("val_loss", patience=2)]
    if KEEPS_ALL:
        found.append(ModelCheckpoint(save_top_k=-1))
    return found


def fitted(root: str, **options) -> pl.Trainer:
    return pl.Trainer(
        default_root_dir=root,
        logger=False,
        enable_progress_bar=False,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
        **options,
    )


def main() -> None:
    pl.seed_everything(3)
    train = DataLoader(samples(), batch_size=4, shuffle=True)
    val, test = DataLoader(samples(), batch_size=4), DataLoader(samples(16), batch_size=4)
    results = []
    plain = fitted("plain", max_epochs=2, val_check_interval=0.75)
    for trainer in (
        plain,
        fitted("listed", max_epochs=6, callbacks=callbacks()),
        fitted("noted", max_epochs=2, check_val_every_n_epoch=2, callbacks=[Notes()]),
    ):
        model = Classifier()
        trainer.fit(model, train, val)
        checkpoint = trainer.checkpoint_callback
        results.append(f"{Path(checkpoint.best_model_path).name} {checkpoint.best_model_score} {model.paths}")
        results.append(str(trainer.test(dataloaders=test)))
    if plain.is_global_zero:
        Path("result.txt").write_text("\n".join(results))


if __name__ == "__main__":
    main()
