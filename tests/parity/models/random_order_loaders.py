import pytorch_lightning
import torch
from pytorch_lightning import LightningDataModule
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Deterministic(pytorch_lightning.LightningModule):
    """Data drawn from the global generator in the constructor, in setup and in the loaders' hooks."""

    def __init__(self, width: int = 3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, width), nn.Dropout(0.5), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.net(batch).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class RandomData(LightningDataModule):
    def __init__(self):
        super().__init__()
        self.noise = torch.randn(4)

    def setup(self, stage):
        self.shift = torch.rand(())

    def rows(self, n):
        return torch.randn(n, 4) + self.noise + self.shift

    def train_dataloader(self):
        return DataLoader(self.rows(18), batch_size=3, shuffle=True)

    def val_dataloader(self):
        # shuffled on purpose: Lightning warns, and shuffles
        return DataLoader(self.rows(9), batch_size=3, shuffle=True)
