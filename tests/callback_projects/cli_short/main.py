"""LightningCLI with classes of its own, a callback among them; what the file says, it says in short forms."""

from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.cli import LightningCLI
from samples import samples
from torch import nn
from torch.utils.data import DataLoader


class NoteEpochs(Callback):
    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            with Path("epochs.txt").open("a") as file:
                file.write(f"{trainer.current_epoch} {trainer.accumulate_grad_batches}\n")


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 4, rate: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=2, shuffle=True)


if __name__ == "__main__":
    LightningCLI(Classifier, save_config_callback=None)
