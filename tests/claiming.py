"""A run that fails at the start of an epoch when it is told to."""

import os

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(pl.LightningModule):
    def __init__(self, lr: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def on_train_epoch_start(self):
        if self.current_epoch == int(os.environ.get("FAILS_IN", "-1")):
            raise RuntimeError("as it was told to")
        if "FAIL_IN_TURN" in os.environ:
            start = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
            if start == self.current_epoch < 3 and int(os.environ["RANK"]) == start % 2:
                raise RuntimeError("in its turn")

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)

    def train_dataloader(self):
        x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
