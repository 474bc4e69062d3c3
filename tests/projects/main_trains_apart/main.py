"""Ranks that draw other weights begin with the first one's, and `backward` averages none of their gradients."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Critic(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))
        self.register_buffer("scale", torch.rand(1))
        self.seen = []

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss = (self.layers(batch[0]) * self.scale).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        self.seen.append([each.detach().clone() for each in (*self.parameters(), *self.buffers())])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        x = torch.linspace(-1, 1, 96).view(24, 4)
        return DataLoader(TensorDataset(x), batch_size=4)


if __name__ == "__main__":
    torch.manual_seed(40 + int(RANK))
    model = Critic()
    L.Trainer(max_epochs=2, enable_progress_bar=False).fit(model)
    torch.save(model.seen, f"main_trains_apart.{RANK}.results.pt")
