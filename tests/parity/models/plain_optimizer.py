"""Linear regression: about the smallest thing that people train with Lightning."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LinearRegression(L.LightningModule):
    def __init__(self, lr: float = 0.05):
        super().__init__()
        self.lr = lr
        self.linear = nn.Linear(6, 1)

    def training_step(self, batch):
        x, y = batch
        loss = nn.functional.mse_loss(self.linear(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)

    def train_dataloader(self):
        g = torch.Generator().manual_seed(3)
        x = torch.randn(50, 6, generator=g)
        y = x.sum(1, keepdim=True) + 0.1 * torch.randn(50, 1, generator=g)
        return DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
