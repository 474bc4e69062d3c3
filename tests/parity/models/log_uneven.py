import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class UnevenBatches(L.LightningModule):
    """Batches of different sizes: epoch means weigh them. No sync_dist here: with it Lightning floors (D2)."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("unweighted", loss, on_step=False, on_epoch=True, batch_size=1)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        residual = (self.net(x) - y).abs()
        self.log("mae", residual.mean())
        self.log("worst", residual.max(), reduce_fx="max", sync_dist=True)
        self.log("rows", float(len(x)), reduce_fx=torch.sum, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adamax(self.parameters(), lr=0.05)

    def dataset(self, n):
        x = torch.randn(n, 2, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x.prod(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.dataset(37), batch_size=7, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(23), batch_size=9)
