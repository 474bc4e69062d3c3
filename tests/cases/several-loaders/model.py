import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.ones(16, 4))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, size):
        return DataLoader(TensorDataset(torch.ones(size, 4)), batch_size=2)

    def train_dataloader(self):
        return {"labelled": self.loader(8), "unlabelled": DataLoader(Stream(), batch_size=2)}

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.layer(batch[0]).mean())

    def val_dataloader(self):
        return [self.loader(4), self.loader(6)]
