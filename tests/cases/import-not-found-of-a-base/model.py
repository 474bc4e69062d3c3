"""The base of one data module has left its module; the other has a base, and is not what is wrong."""

import sys

import lightning as L
import torch
from shared.data import Plain, Renamed
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Small(Renamed):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(4, 2)))


class Large(Plain):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 2)))


DATA = {"small": Small, "large": Large}

if __name__ == "__main__":
    L.Trainer(max_epochs=1).fit(Net(), datamodule=DATA[sys.argv[1]]())
