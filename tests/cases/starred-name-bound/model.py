import sys

import lightning as L
import torch
from defaults import *
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

if "--long" in sys.argv:
    EPOCHS = 30


class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.Trainer(max_epochs=EPOCHS).fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4))))


if __name__ == "__main__":
    main()
