import lightning as L
import torch
from torch.utils.data import DataLoader


def make_data(count):
    generator = torch.Generator().manual_seed(count)

    class Data(L.LightningDataModule):
        def setup(self, stage):
            self.x = torch.randn(count, 3, generator=generator)

        def train_dataloader(self):
            return DataLoader(self.x, batch_size=4, shuffle=True)

    return Data()
