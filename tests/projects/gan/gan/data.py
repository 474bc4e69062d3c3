import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class PointsDataModule(L.LightningDataModule):
    def __init__(self, batch_size: int = 8):
        super().__init__()
        self.batch_size = batch_size
        self.dims = (1, 2, 2)

    def train_dataloader(self):
        angles = torch.linspace(0, 6, 24)
        points = torch.stack([angles.cos(), angles.sin(), -angles.cos(), -angles.sin()], 1).view(-1, *self.dims)
        return DataLoader(TensorDataset(points, torch.zeros(24)), batch_size=self.batch_size, shuffle=True)
