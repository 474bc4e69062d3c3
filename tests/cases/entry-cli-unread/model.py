from functools import partial

from lightning.pytorch.cli import LightningCLI
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

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class NetCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        parser.set_defaults({"trainer.max_epochs": len(dir())})
        parser.add_subcommands()


if __name__ == "__main__":
    NetCLI(Net, trainer_defaults={"max_steps": len(dir())}, trainer_class=partial(L.Trainer, max_epochs=2))
