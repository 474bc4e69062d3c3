"""Parts that not everyone has: in a try, under a condition, in functions, for the type checker."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import lightning as L
import torch
from nets import layers
from torch.utils.data import DataLoader

try:
    from nets.fused import activation
except ImportError:
    from nets.plain import activation

if sys.platform == "no such system":
    from nets.console import show
else:
    show = None

if TYPE_CHECKING:
    from no_such_types import Batch


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = layers.stack(6, 3)

    def training_step(self, batch: Batch, batch_idx: int) -> torch.Tensor:
        loss = activation(self.layers(batch)).square().mean()
        if show is not None:
            show(loss)
        self.log("loss", loss)
        return loss

    def on_train_end(self):
        if self.current_epoch > 5:
            from nets.reports import write

            write(self)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.randn(24, 6, generator=torch.Generator().manual_seed(1)), batch_size=8)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Classifier())
