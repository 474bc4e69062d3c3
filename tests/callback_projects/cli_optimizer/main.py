"""LightningCLI gives the model its optimizer, in the place of the model's own, and its scheduler."""

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.cli import LightningCLI
from samples import samples
from torch import nn
from torch.utils.data import DataLoader


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 4) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=10.0)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=2, shuffle=True)


if __name__ == "__main__":
    LightningCLI(Classifier, save_config_callback=None)
