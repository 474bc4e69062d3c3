import sys

import lightning as L
import torch
from lightning.pytorch.tuner import Tuner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.lr = 0.1

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    model, trainer = Net(), L.Trainer(max_epochs=3)
    tuner = Tuner(trainer)
    tuner.scale_batch_size(model)
    if len(sys.argv) > 1:
        tuner.lr_find(model)
    model.lr = tuner.lr_find(model).suggestion()
    trainer.fit(model)
