"""Of the data modules two have bases in packages that are not installed; the third is none."""

import lightning as L
import torch
from pl_bolts.datamodules import CIFAR10DataModule
from shared.data import Tiles
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Images(CIFAR10DataModule):
    pass


class Few(Images):
    pass


class Rows(Dataset):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(4, 2)))


if __name__ == "__main__":
    for data in (Few(), Tiles(4), Rows()):
        L.Trainer(max_epochs=1).fit(Net(), datamodule=data)
    L.Trainer(max_epochs=1).fit(Net(), datamodule=Few())
    L.Trainer(max_epochs=1).fit(Net(), datamodule=Tiles(8))
    L.Trainer(max_epochs=1).fit(Net(), datamodule=Rows())
