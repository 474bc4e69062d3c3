"""Callbacks of the project's own."""

from pathlib import Path

import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn


class Probe(Callback):
    """Draws weights when it is made, before the model does."""

    def __init__(self, norms: list[float], loss: nn.Module, name: str = "probe") -> None:
        self.norms, self.loss, self.name = norms, loss, name
        self.layer = nn.Linear(6, 1)

    @torch.no_grad()
    def on_train_epoch_end(self, trainer, pl_module):
        loss = self.loss(self.layer.weight, pl_module.layers[0].weight[:1])
        pl_module.log(f"{self.name}_loss", loss)
        if trainer.is_global_zero:
            with Path("probe.txt").open("a") as file:
                file.write(f"{trainer.current_epoch} {loss.item():.6f} {self.norms}\n")


class EveryOther(ModelCheckpoint):
    """Another kind of ModelCheckpoint."""

    def __init__(self, dirpath: str) -> None:
        super().__init__(dirpath=dirpath, filename="{epoch}", every_n_epochs=2, save_top_k=-1)
