import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Wrapped(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, batch_idx):
        return self.net(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Points(L.LightningDataModule):
    def __init__(self, size=12):
        super().__init__()
        self.size = size

    def setup(self, stage):
        points = torch.arange(4.0 * self.size).reshape(-1, 4).sin()
        self.points = TensorDataset(points, points.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.points, batch_size=3)

    def val_dataloader(self):
        return DataLoader(self.points, batch_size=2)

    def teardown(self, stage):
        self.points = None
