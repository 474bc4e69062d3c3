"""What is trained in the tests of communication hooks."""

import hooks
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def halved(state, bucket):
    return hooks.averaged(bucket.buffer() / 2)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        sizes = (24, 32), (32, 32), (32, 16)
        self.layers = nn.ModuleList(nn.Linear(*size) for size in sizes)
        self.norm = nn.BatchNorm1d(16)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        for layer in self.layers:
            x = layer(x).tanh()
        return self.norm(x).pow(2).mean() + x.sum(1).exp().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)

    def train_dataloader(self):
        samples = torch.randn(48, 24, generator=torch.Generator().manual_seed(7))
        return DataLoader(TensorDataset(samples), batch_size=4)


class ByHand(Net):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(super().training_step(batch, batch_idx))
        optimizer.step()
