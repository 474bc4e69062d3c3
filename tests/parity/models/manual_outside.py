import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StepsAfterwards(L.LightningModule):
    """Learns within a step and after it, where Lightning counts no steps; its buffer is rank 0's."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.register_buffer("shift", torch.tensor(float(os.environ.get("RANK", "0"))))
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        x, y = batch
        if batch_idx % 4 == 0:
            self.learn(x, y)
        loss = nn.functional.mse_loss(self.net(x) + self.shift, y)
        self.log("loss", loss)
        return loss

    def learn(self, x, y):
        optimizer, _ = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(nn.functional.mse_loss(self.net(x) + self.shift, y))
        optimizer.step()

    def on_train_batch_end(self, outputs, batch, batch_idx):
        if batch_idx % 3 == 0:
            self.learn(*batch)

    def configure_optimizers(self):
        one = torch.optim.SGD(self.net.parameters(), lr=0.05)
        return one, torch.optim.Adagrad(self.net.parameters())

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3, shuffle=True)
