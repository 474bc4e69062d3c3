"""Trainers that hydra makes, whose configurations say nothing of a logger, want Lightning's own, or none."""

import os

import hydra
import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 8, lr: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg) -> None:
    pl.seed_everything(3)
    model = Classifier()
    for config in (cfg.trainer, cfg.again, cfg.silent):
        trainer = hydra.utils.instantiate(
            config,
            callbacks=[ModelCheckpoint(save_weights_only=True)],
            strategy="ddp" if DEVICES > 1 else "auto",
            devices=DEVICES,
        )
        trainer.fit(model, DataLoader(samples(), batch_size=4))


if __name__ == "__main__":
    main()
