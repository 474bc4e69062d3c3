import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(pl.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        x = torch.randn(40, 4, generator=torch.Generator().manual_seed(2))
        self.parts = torch.utils.data.random_split(TensorDataset(x), [30, 10])

    def train_dataloader(self):
        return DataLoader(self.parts[0], self.batch_size, shuffle=True)

    def held_out(self):
        return DataLoader(self.parts[1], self.batch_size)

    test_dataloader = held_out


class Base(pl.LightningModule):
    def __init__(self, size):
        super().__init__()
        self.net = self.build(size)

    def build(self, size):
        raise NotImplementedError

    def training_step(self, batch, batch_idx):
        return (self.net(batch[0]) - batch[0]).square().mean()

    def test_step(self, batch, batch_idx):
        self.log("error", (self.net(batch[0]) - batch[0]).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Wide(Base):
    def build(self, size):
        return nn.Sequential(nn.Linear(size, 16), nn.ReLU(), nn.Linear(16, size))


class Deep(Base):
    def build(self, size):
        return nn.Sequential(*(nn.Linear(size, size) for _ in range(3)))
