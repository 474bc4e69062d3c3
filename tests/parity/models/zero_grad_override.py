import copy

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class WithEma(L.LightningModule):
    """An averaged copy of the weights, updated in on_before_zero_grad; gradients zeroed, not set to None."""

    def __init__(self, decay: float = 0.9):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
        self.average = copy.deepcopy(self.net).requires_grad_(False)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def on_before_zero_grad(self, optimizer):
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.net.parameters()):
                mean.lerp_(value, 1 - self.hparams.decay)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad(set_to_none=False)

    @torch.no_grad()
    def on_train_epoch_end(self):
        self.log(
            "distance", sum((a - b).norm() for a, b in zip(self.average.parameters(), self.net.parameters()))
        )

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.average(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)

    def dataset(self, n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x[:, :1] * x[:, 1:2])

    def train_dataloader(self):
        return DataLoader(self.dataset(48), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(16), batch_size=8)
