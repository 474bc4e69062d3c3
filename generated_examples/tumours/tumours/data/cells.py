from typing import Any

import lightning.pytorch as pl
from torch.utils.data import DataLoader

from .table import Table, split


class CellData(pl.LightningDataModule):
    """Measurements of cells, for training, validation and test."""

    def __init__(self, batch_size: int = 32, workers: int = 0) -> None:
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage: str | None = None) -> None:
        train, val, test = split((0.7, 0.15, 0.15))
        if stage in (None, "fit"):
            self.train_set, self.val_set = train, val
        if stage in (None, "test"):
            self.test_set = test

    def loader(self, table: Table, **options: Any) -> DataLoader:
        return DataLoader(table, self.hparams.batch_size, num_workers=self.hparams.workers, **options)

    def train_dataloader(self) -> DataLoader:
        return self.loader(self.train_set, shuffle=True, drop_last=True)

    def val_dataloader(self) -> DataLoader:
        return self.loader(self.val_set)

    def test_dataloader(self) -> DataLoader:
        return self.loader(self.test_set)
