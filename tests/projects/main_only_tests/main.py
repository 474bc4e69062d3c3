"""Weights that another run has left, tested and used, without any training."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(6, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def setup(self, stage):
        self.samples = TensorDataset(torch.randn(10, 6, generator=torch.Generator().manual_seed(1)))

    def test_dataloader(self):
        return DataLoader(self.samples, batch_size=4)

    def predict_dataloader(self):
        return DataLoader(self.samples, batch_size=3)


def write(path):
    torch.manual_seed(0)
    weights = Net(5).state_dict()
    arguments = {"width": 5}
    found = {"state_dict": weights, "hyper_parameters": arguments, "pytorch-lightning_version": "2.6.6"}
    torch.save(found, path)


if __name__ == "__main__":
    L.seed_everything(1)
    path = f"net{RANK}.ckpt"
    write(path)
    model, data = Net.load_from_checkpoint(path), Data()
    trainer = L.Trainer(logger=False, enable_progress_bar=False, max_epochs=3)
    results = [trainer.test(model, datamodule=data), trainer.predict(Net(5), datamodule=data, ckpt_path=path)]
    torch.save(results, f"main_only_tests.{RANK}.results.pt")
