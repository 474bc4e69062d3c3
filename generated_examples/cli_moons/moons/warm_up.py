from typing import Any

import lightning as L
from lightning.pytorch.callbacks import Callback


class WarmUp(Callback):
    """Lets the learning rate rise over the first steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.rates: list[float] = []

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        self.rates = [group["lr"] for group in trainer.optimizers[0].param_groups]

    def on_train_batch_start(
        self, trainer: L.Trainer, pl_module: L.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        share = min(1.0, (trainer.global_step + 1) / self.steps)
        for group, rate in zip(trainer.optimizers[0].param_groups, self.rates, strict=True):
            group["lr"] = rate * share
