import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Points(L.LightningDataModule):
    def __init__(self, size, batch_size=4):
        super().__init__()
        self.size, self.batch_size = size, batch_size

    def train_dataloader(self):
        x = torch.linspace(-1, 1, 3 * self.size).view(self.size, 3)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), self.batch_size, shuffle=True)
