"""Validation is counted in optimizer steps in the place of batches, by a function that asks what Lightning asks."""

import os
from types import MethodType

import lightning.pytorch as pl
import torch
from lightning.pytorch.loops.fetchers import _DataFetcher, _DataLoaderIterDataFetcher
from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

RANK = os.environ.get("RANK", "0")


def in_steps(self: _TrainingEpochLoop, data_fetcher: _DataFetcher) -> bool:
    """As Lightning, but for the last question."""
    if not self._should_check_val_epoch():
        return False
    is_endless = self.trainer.val_check_batch == float("inf")
    if self.batch_progress.is_last_batch:
        if is_endless or isinstance(data_fetcher, _DataLoaderIterDataFetcher):
            return True
    if self.trainer.should_stop and self.trainer.fit_loop._can_stop_early:
        return True
    if is_endless:
        limit = self.trainer.limit_train_batches
        return (self.batch_idx + 1) % limit == 0 if isinstance(limit, int) else self.batch_progress.is_last_batch
    if self.trainer.check_val_every_n_epoch is not None:
        return (self.batch_idx + 1) % self.trainer.val_check_batch == 0
    return not self._should_accumulate() and (self.global_step) % self.trainer.val_check_batch == 0


class Draws(IterableDataset):
    """Has more rows from one epoch to the next."""

    def __init__(self):
        self.rows = 8

    def __iter__(self):
        self.rows += 4
        yield from torch.rand(self.rows, 3, generator=torch.Generator().manual_seed(self.rows))


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        self.seen = []

    def training_step(self, batch, batch_idx):
        return self.layer(torch.stack([*batch])).square().mean()

    def on_validation_start(self):
        where = self.trainer.current_epoch, self.trainer.global_step
        self.seen.append((*where, torch.rand(1).item()))  # on which the dropout to come depends

    def validation_step(self, batch, batch_idx):
        loss = self.layer(torch.stack([*batch])).square().mean()
        self.log("val_loss", loss, sync_dist=True)
        self.seen.append(loss.item())

    def on_train_epoch_end(self):
        self.seen.append(("ended", self.trainer.global_step))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.8)]


def train(data, accumulate, interval, steps=-1):
    pl.seed_everything(6)
    net = Net()
    trainer = pl.Trainer(
        max_epochs=4,
        max_steps=steps,
        accumulate_grad_batches=accumulate,
        val_check_interval=int(interval),
        check_val_every_n_epoch=None,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit_loop.epoch_loop._should_check_val_fx = MethodType(in_steps, trainer.fit_loop.epoch_loop)
    trainer.fit(net, data, DataLoader(torch.eye(3), batch_size=2))
    return net.seen


def rows(count):
    x = torch.randn(count, 3, generator=torch.Generator().manual_seed(count))
    return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)


def main():
    seen = [train(rows(36), 2, 2), train(rows(40), 3, 2), train(rows(24), 1, 4)]
    seen += [train(rows(56), 2, 3, steps=7), train(DataLoader(Draws(), batch_size=4), 2, 3)]
    torch.save(seen, f"main_by_steps.{RANK}.results.pt")


if __name__ == "__main__":
    main()
