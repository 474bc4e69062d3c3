"""A rank that fails in ways of its own, after each restart in the next."""

import os
import time
from pathlib import Path

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


def fail(place: str) -> None:
    """As it is told to at this place: `validating raise`; for each start of the run one."""
    told = os.environ["FAILING"].split(",")[int(os.environ["TORCHELASTIC_RESTART_COUNT"])]
    if told.split()[0] != place or os.environ["RANK"] != "1":
        return
    Path(os.environ["FAILED_AT"]).write_text(str(time.time()))
    if told.endswith("raise"):
        raise ValueError("no such batch")
    if told.endswith("exit"):
        os._exit(4)
    time.sleep(1000)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        if batch_idx == 1:
            fail("training")
        return self.layer(batch[0]).mean()

    def validation_step(self, batch, batch_idx):
        fail("validating")
        self.log("val_loss", self.layer(batch[0]).mean(), sync_dist=True)

    def on_save_checkpoint(self, checkpoint):
        fail("saving")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(8, 2)), batch_size=1)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(4, 2)), batch_size=1)
