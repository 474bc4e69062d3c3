"""Functions in the place of Lightning's method that ask what it asks, or differ by steps alone, of which here are none."""

import time
from functools import partial
from types import MethodType

import lightning as L
import torch
from lightning.pytorch.loops import fetchers
from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop
from torch.utils.data import DataLoader


def as_it_is(loop, data_fetcher):
    """What Lightning asks, in other words."""
    trainer = loop.trainer
    if loop._should_check_val_epoch():
        endless: bool = trainer.val_check_batch == float("inf")
        last = loop.batch_progress.is_last_batch
        if last and (endless or isinstance(data_fetcher, fetchers._DataLoaderIterDataFetcher)):
            return True
        elif trainer.should_stop and trainer.fit_loop._can_stop_early:
            return True
        if trainer._val_check_time_interval is not None:
            return time.monotonic() - trainer._last_val_time >= trainer._val_check_time_interval
        due = last
        if endless and isinstance(trainer.limit_train_batches, int):
            due = (loop.batch_idx + 1) % trainer.limit_train_batches == 0
        elif not endless:
            assert trainer.val_check_batch is not None
            count = loop.total_batch_idx if trainer.check_val_every_n_epoch is None else loop.batch_idx
            due = (count + 1) % trainer.val_check_batch == 0
        return due
    return False


def in_steps(self, data_fetcher):
    if not self._should_check_val_epoch():
        return False
    endless = self.trainer.val_check_batch == float("inf")
    if self.batch_progress.is_last_batch and (
        isinstance(data_fetcher, fetchers._DataLoaderIterDataFetcher) or endless
    ):
        return True
    if self.trainer.should_stop and self.trainer.fit_loop._can_stop_early:
        return True
    if endless:
        has_limit = isinstance(self.trainer.limit_train_batches, int)
        at_limit = (self.batch_idx + 1) % self.trainer.limit_train_batches == 0
        return at_limit if has_limit else self.batch_progress.is_last_batch
    if self.trainer.check_val_every_n_epoch is None:
        return self.global_step % self.trainer.val_check_batch == 0 and not self._should_accumulate()
    return (self.batch_idx + 1) % self.trainer.val_check_batch == 0


_TrainingEpochLoop._should_check_val_fx = as_it_is


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
    trainer = L.Trainer(max_epochs=2, accumulate_grad_batches=2, val_check_interval=2)
    trainer.fit_loop.epoch_loop._should_check_val_fx = MethodType(in_steps, trainer.fit_loop.epoch_loop)
    trainer.fit_loop.epoch_loop._should_check_val_fx = as_it_is.__get__(trainer.fit_loop.epoch_loop)
    trainer.fit_loop.epoch_loop._should_check_val_fx = partial(in_steps, trainer.fit_loop.epoch_loop)
    trainer.fit(Net(), DataLoader(torch.ones(8, 4), batch_size=2), DataLoader(torch.ones(2, 4)))
