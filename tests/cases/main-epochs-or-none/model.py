import argparse

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

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        self.log("val_loss", self.layer(x).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    args = parser.parse_args()
    shared = {"max_steps": 6, "val_check_interval": 3, "check_val_every_n_epoch": args.every}
    L.Trainer(**shared).fit(Net())
    rare = {"max_steps": 6}
    if args.every:
        rare.update(val_check_interval=3, check_val_every_n_epoch=None)
    L.Trainer(**rare).fit(Net())
    for each in [{"val_check_interval": 3, "check_val_every_n_epoch": None}, {"check_val_every_n_epoch": 2}]:
        L.Trainer(max_steps=6, **each).fit(Net())


if __name__ == "__main__":
    main()
