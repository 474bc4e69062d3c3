"""A package with the name of one of Python's own."""

import lightning as L
import torch


class Widens(L.Callback):
    """A callback that changes what is trained."""

    def on_train_epoch_start(self, trainer, pl_module):
        with torch.no_grad():
            pl_module.layers[0].weight.mul_(1.5)
