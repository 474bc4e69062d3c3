"""Callbacks that a configuration names."""

import lightning as L


class Counting(L.Callback):
    def __init__(self, every, weight):
        self.every = every
        self.weight = weight

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if batch_idx % self.every == 0:
            pl_module.counted += self.weight * trainer.global_step
