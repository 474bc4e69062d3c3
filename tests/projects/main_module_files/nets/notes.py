"""A callback, in a third one."""

from lightning.pytorch import Callback


class HalvesRate(Callback):
    def on_train_epoch_end(self, trainer, model):
        for group in trainer.optimizers[0].param_groups:
            group["lr"] *= 0.5
