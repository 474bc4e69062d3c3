"""What is built and trained in each way."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return x + torch.tanh(self.layer(x))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Block(), Block(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        loss = (self(batch) - batch.mean(1, keepdim=True)).pow(2).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self(batch).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return DataLoader(torch.randn(32, 8, generator=torch.Generator().manual_seed(1)), 4)

    def val_dataloader(self):
        return DataLoader(torch.ones(8, 8), 4)


class Manual(Net):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(super().training_step(batch, batch_idx))
        optimizer.step()


class WholeAtOnce(Net):
    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters(), lr=0.05)


class Shared(Net):
    def configure_model(self):
        torch.distributed.fsdp.fully_shard(self.layers, mesh=self.device_mesh["data_parallel"])
