"""Data, in another one."""

import lightning.pytorch as pl
from lightning.pytorch.demos.boring_classes import RandomDataset
from torch.utils.data import DataLoader


class Samples(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(RandomDataset(32, 12), batch_size=4)
