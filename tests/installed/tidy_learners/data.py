import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Rows(pl.LightningDataModule):
    def __init__(self, count: int = 24) -> None:
        super().__init__()
        self.count = count

    def setup(self, stage):
        x = torch.rand(self.count, 3, generator=torch.Generator().manual_seed(1))
        self.rows = TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=4)
