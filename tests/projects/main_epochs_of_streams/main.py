"""The same as for loaders with lengths, of streams: validation by epochs, or by batches over all of them."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return x, x.sum(1, keepdim=True)


class Stream(IterableDataset):
    """Of another length in each epoch."""

    def __init__(self):
        self.epoch = 0

    def __iter__(self):
        self.epoch += 1
        yield from zip(*samples(8 + 4 * self.epoch))


class Net(L.LightningModule):
    def __init__(self, seen):
        super().__init__()
        self.seen = seen
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.mse_loss(self.layer(batch[0]), batch[1]), sync_dist=True)

    def on_validation_end(self):
        loss = self.trainer.callback_metrics.get("val_loss", torch.tensor(0.0)).item()
        self.seen.append((self.current_epoch, self.global_step, self.trainer.sanity_checking, loss))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def run(every, data):
    L.seed_everything(4)
    seen = []
    trainer = L.Trainer(
        max_epochs=4,
        check_val_every_n_epoch=every,
        val_check_interval=2 if every else 5,
        logger=False,
        enable_progress_bar=False,
        accumulate_grad_batches=2,
    )
    trainer.fit(Net(seen), data, DataLoader(TensorDataset(*samples(12)), batch_size=2))
    return seen


if __name__ == "__main__":
    found = [run(each, DataLoader(Stream(), batch_size=2)) for each in (2, None)]
    torch.save(found, f"main_epochs_of_streams.{RANK}.results.pt")
