"""The last batch of a stream: who asks the trainer for it, and when."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset

SEEN = []


class Stream(IterableDataset):
    """Has more rows from one epoch to the next."""

    def __init__(self):
        self.rows = 5

    def __iter__(self):
        self.rows += 3
        yield from torch.rand(self.rows, 3, generator=torch.Generator().manual_seed(self.rows))


class Watch(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        SEEN.append(["ended", batch_idx, trainer.is_last_batch])

    def on_train_epoch_start(self, trainer, pl_module):
        SEEN.append(["epoch", trainer.is_last_batch])


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        return loss * 3 if self.trainer.is_last_batch else loss

    def validation_step(self, batch, batch_idx):
        SEEN.append(["validated", self.trainer.is_last_batch])

    def on_train_epoch_end(self):
        SEEN.append(["end", self.trainer.is_last_batch])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=3, logger=False, enable_progress_bar=False, callbacks=[Watch()], accumulate_grad_batches=2)
    trainer.fit(Net(), DataLoader(Stream(), batch_size=2), DataLoader(torch.rand(4, 3), batch_size=2))
    SEEN.append(trainer.is_last_batch)
    torch.save(SEEN, f"main_last_of_stream.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
