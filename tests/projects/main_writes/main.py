"""Predictions are written by callbacks of its own, batch by batch or all together, with the numbers of the samples."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import BasePredictionWriter
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, SequentialSampler, TensorDataset

RANK = os.environ.get("RANK", "0")


class Writer(BasePredictionWriter):
    def __init__(self, write_interval, found):
        super().__init__(write_interval)
        self.found = found

    def write_on_batch_end(
        self, trainer, pl_module, prediction, batch_indices, batch, batch_idx, dataloader_idx
    ):
        assert self.interval.on_batch
        where = (trainer.global_rank, batch_idx, dataloader_idx, list(batch_indices))
        self.found.append((*where, prediction, batch[0].sum().item()))

    def write_on_epoch_end(self, trainer, pl_module, predictions, batch_indices):
        self.found.append((self.interval.value, predictions, batch_indices))


class OwnWriter(Writer):
    """Hands on what it asks the loop for."""

    def on_predict_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        indices = trainer.predict_loop.current_batch_indices
        self.write_on_batch_end(trainer, pl_module, outputs, indices, batch, batch_idx, dataloader_idx)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(TensorDataset(torch.ones(3, 2)))


def data(count):
    return TensorDataset(torch.arange(2.0 * count).view(count, 2) / count)


def main():
    L.seed_everything(1)
    found = []
    model = Net()
    trainer = L.Trainer(
        max_epochs=1,
        enable_progress_bar=False,
        callbacks=[Writer("batch", found), Writer("epoch", found), Writer("batch_and_epoch", found), OwnWriter("batch", found)],
    )
    trainer.fit(model, DataLoader(data(8), batch_size=4))
    found.append(trainer.predict(model, DataLoader(data(10), batch_size=3), return_predictions=False))
    several = [DataLoader(data(7), batch_size=2, num_workers=1), DataLoader(Stream(), batch_size=2)]
    found.append(trainer.predict(model, several[:1]))
    batches = BatchSampler(SequentialSampler(data(9)), batch_size=4, drop_last=True)
    found.append(trainer.predict(model, [several[0], DataLoader(data(9), batch_sampler=batches)]))

    alone = []
    quiet = L.Trainer(enable_progress_bar=False, callbacks=Writer("batch", alone))
    found.append(quiet.predict(model, DataLoader(data(6), batch_size=2, shuffle=True), return_predictions=False))
    torch.save([found, alone], f"main_writes.{RANK}.results.pt")


if __name__ == "__main__":
    main()
