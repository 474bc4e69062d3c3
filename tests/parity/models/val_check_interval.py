import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ValidatedOften(L.LightningModule):
    """Validation in mid-epoch, also amid an accumulation window; it watches the gradients that it finds."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
        self.validations = 0

    def on_train_epoch_start(self):
        self.validations = 0

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        self.log("epoch_loss", loss, on_step=False, on_epoch=True)
        return loss

    def on_validation_epoch_start(self):
        self.validations += 1
        grads = [p.grad for p in self.parameters() if p.grad is not None]
        self.log("grads_kept", float(len(grads)))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))
        self.log("validations", self.validations)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)

    def setup(self, stage):
        x = torch.randn(56, 3, generator=torch.Generator().manual_seed(4))
        self.data = TensorDataset(x, x.cumsum(1)[:, -1:])

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=14)
