from typing import Any

import torch
from lightning import LightningDataModule
from torch.utils.data import DataLoader, TensorDataset, random_split

from src.data.digits import load_digits


class DigitsData(LightningDataModule):
    """Real handwritten digits of 8 by 8 pixels, for training, validation and test."""

    def __init__(
        self,
        batch_size: int = 64,
        val_share: float = 0.2,
        test_share: float = 0.1,
        num_workers: int = 0,
        pin_memory: bool = False,
    ) -> None:
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.train_set: Any = None
        self.val_set: Any = None
        self.test_set: Any = None
        self.batch_size_per_device = batch_size

    @property
    def num_classes(self) -> int:
        return 10

    def setup(self, stage: str | None = None) -> None:
        if self.trainer is not None:
            if self.hparams.batch_size % self.trainer.world_size != 0:
                raise RuntimeError(
                    f"{self.hparams.batch_size} samples do not divide among {self.trainer.world_size} devices"
                )
            self.batch_size_per_device = (
                self.hparams.batch_size // self.trainer.world_size
            )
        if not self.train_set and not self.val_set and not self.test_set:
            digits = TensorDataset(*load_digits())
            val, test = (
                int(len(digits) * share)
                for share in (self.hparams.val_share, self.hparams.test_share)
            )
            self.train_set, self.val_set, self.test_set = random_split(
                digits,
                [len(digits) - val - test, val, test],
                torch.Generator().manual_seed(42),
            )

    def train_dataloader(self) -> DataLoader[Any]:
        return DataLoader(
            dataset=self.train_set,
            batch_size=self.batch_size_per_device,
            num_workers=self.hparams.num_workers,
            pin_memory=self.hparams.pin_memory,
            shuffle=True,
        )

    def val_dataloader(self) -> DataLoader[Any]:
        return DataLoader(
            dataset=self.val_set,
            batch_size=self.batch_size_per_device,
            num_workers=self.hparams.num_workers,
            pin_memory=self.hparams.pin_memory,
            shuffle=False,
        )

    def test_dataloader(self) -> DataLoader[Any]:
        return DataLoader(
            dataset=self.test_set,
            batch_size=self.batch_size_per_device,
            num_workers=self.hparams.num_workers,
            pin_memory=self.hparams.pin_memory,
            shuffle=False,
        )

    def teardown(self, stage: str | None = None) -> None:
        pass

    def state_dict(self) -> dict[Any, Any]:
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        pass
