"""Callbacks that a configuration names."""

import lightning as L


class Counting(L.Callback):
    def __init__(self, every, what):
        self.every = every
        self.what = what

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if batch_idx % self.every == 0:
            print(self.what, trainer.global_step)
