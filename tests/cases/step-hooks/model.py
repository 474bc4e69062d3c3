"""What Lightning has round the optimizers that it steps, and the script has not."""

import lightning as L
import torch
from lightning.pytorch.core.optimizer import LightningOptimizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def on_train_start(self):
        self.optimizers()._on_after_step = lambda: print("stepped")

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        print(optimizer.optimizer.param_groups, isinstance(optimizer, LightningOptimizer))
        optimizer.step(optimizer_closure)

    def on_train_epoch_end(self):
        own = self.optimizers()
        print(own.optimizer.state, own.param_groups)
        print("bare" if not hasattr(own, "optimizer") else "wrapped")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
