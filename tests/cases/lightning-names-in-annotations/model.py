import lightning as L
import torch
import lightning.pytorch as pl
from lightning.pytorch.callbacks import EarlyStopping
from lightning.pytorch.strategies import Strategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def describe(module: L.LightningModule, logger: Strategy | None) -> None:
    print(type(module), logger)


def describe_loop(loop: "pl.loops.FitLoop", stopping: "EarlyStopping") -> None:
    print(loop, stopping)


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

    def on_fit_start(self) -> None:
        describe(self, None)
        describe_loop(None, None)
