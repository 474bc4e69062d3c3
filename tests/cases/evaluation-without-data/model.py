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
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, size):
        return DataLoader(TensorDataset(torch.ones(size, 4)), batch_size=2)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).mean())

    def test_dataloader(self):
        return self.loader(8)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class Data(L.LightningDataModule):
    def setup(self, stage):
        self.stage = stage

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    model = Net()
    trainer = L.Trainer(max_epochs=3)
    if sys.argv[1:]:
        trainer.fit(model, datamodule=Data())
    trainer.test(model)
    trainer.test(model, model.loader(4))
