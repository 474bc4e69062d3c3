"""Loaders of data modules and optimizers of models by functions in the place of the classes' own, and of objects'."""

import argparse
import os

import lightning as L
import torch
from patches import Evaluation, patch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean() * len(batch)
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        rows = torch.randn(24, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(rows), batch_size=4)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 3)), batch_size=4)


class Others(Data):
    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)


try:
    patch(Data)
except ImportError:
    print("not patched")


def decay(net):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    net.configure_optimizers = lambda: {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


def main(args):
    found = []
    for data in (Data(), Others()):
        L.seed_everything(3)
        net = Net()
        decay(net)
        if args.all:
            data.val_dataloader = Evaluation(data).loader
        settings = {"max_epochs": 2, "enable_progress_bar": False, "enable_checkpointing": False, "logger": None}
        if args.quick:
            settings.update({"fast_dev_run": 1, "logger": False})
        trainer = L.Trainer(**settings)
        trainer.fit(net, datamodule=data)
        found.append({name: float(value) for name, value in trainer.callback_metrics.items()})
    torch.save(found, f"main_assigned_loaders.{RANK}.results.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--all", default=True)
    main(parser.parse_args())
