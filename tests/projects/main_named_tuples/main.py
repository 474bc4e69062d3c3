"""What is trained comes in named tuples: unpacked, by places and by names."""

from typing import NamedTuple

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Made(NamedTuple):
    data: L.LightningDataModule
    model: L.LightningModule
    trainer: L.Trainer


class Shape(NamedTuple):
    width: int
    classes: int = 3


class Net(L.LightningModule):
    def __init__(self, width, classes):
        super().__init__()
        self.layer = nn.Linear(width, classes)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape

    def train_dataloader(self):
        width, classes = self.shape
        inputs, labels = torch.randn(32, width), torch.randint(classes, (32,))
        return DataLoader(TensorDataset(inputs, labels), batch_size=4, shuffle=True)


def make(shape, epochs):
    trainer = L.Trainer(
        max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False
    )
    return Made(Data(shape), Net(*shape), trainer=trainer)


if __name__ == "__main__":
    L.seed_everything(3)
    data, model, trainer = made = make(Shape(width=4), 1)
    trainer.fit(model, datamodule=data)
    made[-1].save_checkpoint("model.pt")
    again = make(data.shape, 2)
    again.trainer.fit(again[1], again[0])
    again.trainer.save_checkpoint("again.pt")
