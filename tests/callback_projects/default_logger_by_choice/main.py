"""Trainers of which only a run knows whether they are given a logger, make their own, or want none."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


def loader(seed):
    x = torch.randn(16, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def chosen(kind):
    """A logger; True or None, which have the Trainer make its own; or False, which wants none."""
    if kind == "rows":
        return CSVLogger("logs", name="rows", version=0)
    return {"own": True, "none": False}.get(kind)


def train(kind, folder):
    trainer = L.Trainer(
        max_epochs=2,
        log_every_n_steps=1,
        logger=chosen(kind),
        callbacks=[ModelCheckpoint(save_weights_only=True)],
        default_root_dir=folder,
        enable_progress_bar=False,
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
    )
    trainer.fit(Net(), loader(0))


if __name__ == "__main__":
    L.seed_everything(3)
    for each in ("rows", "own", "unsaid", "none"):
        train(each, f"runs_of_{each}")
