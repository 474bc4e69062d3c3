import lightning as L
import torch
from sklearn.datasets import make_moons
from torch.utils.data import DataLoader, TensorDataset


class Moons(L.LightningDataModule):
    """Points on two half circles."""

    def __init__(self, count: int = 512, noise: float = 0.1, batch_size: int = 32) -> None:
        super().__init__()
        self.count, self.noise, self.batch_size = count, noise, batch_size

    def points(self, seed: int) -> TensorDataset:
        points, classes = make_moons(self.count, noise=self.noise, random_state=seed)
        return TensorDataset(torch.tensor(points).float(), torch.tensor(classes).float())

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.points(0), self.batch_size, shuffle=True)

    def val_dataloader(self) -> DataLoader:
        return DataLoader(self.points(1), self.batch_size)
