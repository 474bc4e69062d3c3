"""Lightning's own method gives way to what is not read: a function of another meaning, none, and one of several."""

import os
from types import MethodType

import lightning as L
import torch
from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop
from torch.utils.data import DataLoader


def while_it_accumulates(self, data_fetcher):
    if not self._should_check_val_epoch():
        return False
    if self.trainer.should_stop and self.trainer.fit_loop._can_stop_early:
        return True
    return self.global_step % self.trainer.val_check_batch == 0


if os.environ.get("SOMETIMES"):

    def by_the_environment(self, data_fetcher):
        return self.batch_progress.is_last_batch

else:

    def by_the_environment(self, data_fetcher):
        return False


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("loss", self.layer(batch).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    _TrainingEpochLoop._should_check_val_fx = by_the_environment
    trainer = L.Trainer(max_epochs=2, accumulate_grad_batches=2, val_check_interval=2, check_val_every_n_epoch=None)
    trainer.fit_loop.epoch_loop._should_check_val_fx = MethodType(while_it_accumulates, trainer.fit_loop.epoch_loop)
    trainer.fit_loop.epoch_loop._should_check_val_fx = lambda data_fetcher: True
    trainer.fit(Net(), DataLoader(torch.ones(8, 4), batch_size=2), DataLoader(torch.ones(2, 4)))
