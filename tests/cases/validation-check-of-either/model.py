"""A function by which validation goes by optimizer steps where `check_val_every_n_epoch` is None, which a run decides."""

import os
from types import MethodType

import lightning as L
import torch
from lightning.pytorch.loops import fetchers
from torch.utils.data import DataLoader


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


def loaders():
    return DataLoader(torch.ones(8, 4), batch_size=2), DataLoader(torch.ones(2, 4))


if __name__ == "__main__":
    every = 2 if os.environ.get("BY_EPOCHS") else None
    trainer = L.Trainer(max_epochs=2, val_check_interval=2, check_val_every_n_epoch=every)
    trainer.fit_loop.epoch_loop._should_check_val_fx = MethodType(in_steps, trainer.fit_loop.epoch_loop)
    train, val = loaders()
    trainer.fit(Net(), train, val)
