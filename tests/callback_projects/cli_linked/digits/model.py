from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn

from .blocks import Block


class Classifier(pl.LightningModule):
    def __init__(
        self,
        features: int,
        classes: int,
        batch_size: int,
        block: Block,
        slope: float = 0.2,
        scale: float = 1.0,
        widest: int = 1,
        named: int = 0,
        hidden: int = 4,
        note: str = "",
    ) -> None:
        super().__init__()
        self.given = (features, classes, batch_size, slope, scale, widest, named, hidden, note)
        self.scale = scale
        self.layers = nn.Sequential(nn.Linear(features, hidden), block, nn.Linear(hidden, classes))

    def on_fit_start(self):
        if self.trainer.is_global_zero:
            Path("given.txt").write_text(f"{self.given} {self.layers[1]}")

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss * self.scale


class DeepClassifier(Classifier):
    """The class that the file chooses."""

    def __init__(self, block: Block, features: int, classes: int, batch_size: int, depth: int = 2, **rest) -> None:
        super().__init__(features, classes, batch_size, block, **rest)
        self.deep = nn.Sequential(*(nn.Linear(classes, classes) for _ in range(depth)))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.deep(self.layers(x)), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss + 0 * torch.ones(1).sum()
