"""Models, losses and callbacks that one function makes, each of a registry of its own."""

import lightning as L
import torch
from lightning.pytorch.callbacks import RichModelSummary
from lightning.pytorch.profilers import AdvancedProfiler, SimpleProfiler
from registry import CALLBACKS, LOSSES, MODELS, make
from torch import nn
from torch.utils.data import DataLoader

CALLBACKS.register("summary")(RichModelSummary)
LOSSES.register("mean")(nn.MSELoss)
PROFILERS = {"simple": SimpleProfiler, "advanced": AdvancedProfiler}


@LOSSES.register("square")
class Square:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, predicted, wanted):
        return self.scale * (predicted - wanted).pow(2).sum()


@CALLBACKS.register("damped")
class Damped(L.Callback):
    def __init__(self, by):
        self.by = by

    def on_train_epoch_end(self, trainer, pl_module):
        for group in trainer.optimizers[0].param_groups:
            group["lr"] *= self.by


@MODELS.register("line")
class Line(L.LightningModule):
    def __init__(self, loss):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.loss = loss

    def training_step(self, batch, batch_idx):
        return self.loss(self.layer(batch), batch.sum(1, keepdim=True))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def main(profiler=None):
    L.seed_everything(4)
    chosen = {"damped": {"by": 0.5}}
    callbacks = [make(CALLBACKS, name, **params) for name, params in chosen.items()]
    model = make(MODELS, "line", loss=make(LOSSES, "square", scale=0.5))
    profiler = PROFILERS[profiler]() if profiler else None
    trainer = L.Trainer(max_epochs=3, logger=False, callbacks=callbacks, profiler=profiler)
    trainer.fit(model, DataLoader(torch.randn(16, 4), batch_size=4))


if __name__ == "__main__":
    main()
