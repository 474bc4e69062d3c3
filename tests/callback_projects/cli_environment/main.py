"""LightningCLI with settings that are read of the environment."""

from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.cli import LightningCLI
from samples import samples
from torch import nn
from torch.utils.data import DataLoader


class Classifier(pl.LightningModule):
    def __init__(self, devices: str, hidden: int = 4, rate: float = 0.1, folder: Path = Path(".")) -> None:
        super().__init__()
        self.save_hyperparameters(ignore=["folder"])
        self.folder = folder
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss, sync_dist=True)
        self.log("parts", float(len(self.folder.parts)))
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=2, shuffle=True)


if __name__ == "__main__":
    LightningCLI(Classifier, save_config_callback=None, parser_kwargs={"parser_mode": "omegaconf"})
