import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        self.log("mean", self.layer(x).mean())
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Other(Net):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


def build(name):
    if name == "net":
        return Net()
    return Other()


def main(name):
    model = build(name)
    L.Trainer(max_epochs=len(name)).fit(model)


if __name__ == "__main__":
    main(sys.argv[1])
