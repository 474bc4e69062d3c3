import argparse
from typing import Any

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import Tensor

from ..data.table import MEASUREMENTS
from .blocks import perceptron
from .confusion import Confusion


class TumourClassifier(pl.LightningModule):
    """Scores rows of measurements: above 0 it is malignant."""

    def __init__(self, width: int = 16, depth: int = 2, dropout: float = 0.1, lr: float = 3e-3) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = perceptron(MEASUREMENTS, width, depth, dropout)
        self.confusion = Confusion()

    @staticmethod
    def add_model_specific_args(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("model")
        group.add_argument("--width", type=int, default=16)
        group.add_argument("--depth", type=int, default=2)
        group.add_argument("--dropout", type=float, default=0.1)
        group.add_argument("--lr", type=float, default=3e-3)

    def forward(self, rows: Tensor) -> Tensor:
        return self.net(rows).squeeze(1)

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
        rows, malignant = batch
        loss = F.binary_cross_entropy_with_logits(self(rows), malignant)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def on_validation_epoch_start(self) -> None:
        self.confusion.clear()

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
        self.evaluate(batch, "val")

    def on_validation_epoch_end(self) -> None:
        self.log("val_recall", self.confusion.recall(), sync_dist=True)

    def on_test_epoch_start(self) -> None:
        self.confusion.clear()

    def test_step(self, batch: list[Tensor], batch_idx: int) -> None:
        self.evaluate(batch, "test")

    def evaluate(self, batch: list[Tensor], stage: str) -> None:
        rows, malignant = batch
        scores = self(rows)
        self.confusion.add(scores, malignant)
        loss = F.binary_cross_entropy_with_logits(scores, malignant)
        acc = ((scores > 0) == (malignant > 0)).float().mean()
        self.log_dict({f"{stage}_loss": loss, f"{stage}_acc": acc}, prog_bar=True, sync_dist=True)

    def configure_optimizers(self) -> dict[str, Any]:
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": "val_loss"}}
