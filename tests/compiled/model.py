"""Blocks, and steps that log in several ways."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric


class Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layer, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, x):
        return x + torch.tanh(self.layer(self.norm(x)))


class Net(L.LightningModule):
    def __init__(self, width: int = 8):
        super().__init__()
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.blocks(x))

    def training_step(self, batch, batch_idx):
        loss = self(batch[0]).square().mean()
        self.log("train_loss", loss, on_step=True, on_epoch=True, prog_bar=True, sync_dist=True)
        self.log_dict({"half": loss / 2, "rate": 0.5})
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.01)

    def train_dataloader(self):
        samples = torch.randn(44, 8, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(samples), batch_size=4)

    def val_dataloader(self):
        return self.train_dataloader()


class Measured(Net):
    def __init__(self, width: int = 8):
        super().__init__(width)
        self.mean = MeanMetric()

    def training_step(self, batch, batch_idx):
        loss = super().training_step(batch, batch_idx)
        self.mean(loss.detach())
        self.log("mean", self.mean, on_step=False, on_epoch=True)
        return loss


class ByHand(Net):
    def __init__(self, width: int = 8):
        super().__init__(width)
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss = self(batch[0]).square().mean()
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()
        self.log("train_loss", loss)
