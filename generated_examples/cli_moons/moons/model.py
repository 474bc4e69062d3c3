from collections.abc import Callable, Iterable
from itertools import pairwise

import lightning as L
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer


class Perceptron(L.LightningModule):
    """Tells two classes of points apart."""

    def __init__(
        self,
        activation: nn.Module,
        optimizer: Callable[[Iterable[nn.Parameter]], Optimizer],
        width: int = 16,
        depth: int = 1,
    ) -> None:
        super().__init__()
        pairs = pairwise([2, *[width] * depth])
        layers = [layer for pair in pairs for layer in (nn.Linear(*pair), activation)]
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))
        self.optimizer = optimizer

    def forward(self, points: Tensor) -> Tensor:
        return self.layers(points).squeeze(1)

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
        points, classes = batch
        loss = F.binary_cross_entropy_with_logits(self(points), classes)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
        points, classes = batch
        scores = self(points)
        loss = F.binary_cross_entropy_with_logits(scores, classes)
        self.log("val_loss", loss, sync_dist=True, prog_bar=True)
        self.log("val_acc", ((scores > 0) == (classes > 0)).float().mean(), sync_dist=True)

    def configure_optimizers(self) -> Optimizer:
        return self.optimizer(self.parameters())
