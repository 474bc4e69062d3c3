"""Data modules that functions and class methods make, handed over where a loader may stand too."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Data(L.LightningDataModule):
    def __init__(self, count, seed=1):
        super().__init__()
        self.count, self.seed = count, seed

    @classmethod
    def make(cls, count):
        data = cls(count)
        data.seed = 2
        return data

    @classmethod
    def of(cls, count, **options):
        return cls(count, **options)

    def setup(self, stage):
        x = torch.randn(self.count, 6, generator=torch.Generator().manual_seed(self.seed))
        self.samples = TensorDataset(x)

    def train_dataloader(self):
        return DataLoader(self.samples, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.samples, batch_size=3)


KINDS = {"data": Data}


def build(kind) -> "Data":
    return KINDS[kind](14)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Run:
    def __init__(self):
        self.net = Net()

    def data(self):
        return Data.of(10, seed=5)

    def train(self, trainer):
        trainer.fit(self.net, self.data())
        return trainer.validate(datamodule=Data(6), model=self.net)


def trainer(epochs):
    return L.Trainer(max_epochs=epochs, enable_progress_bar=False)


def main():
    L.seed_everything(5)
    run = Run()
    found = [run.train(trainer(2))]
    trainer(1).fit(run.net, Data.make(16))
    last = trainer(1)
    last.fit(run.net, build("data"))
    data = Data.make(9)
    found.append(last.validate(run.net, data))
    torch.save(found, f"main_made_data.{RANK}.results.pt")


if __name__ == "__main__":
    main()
