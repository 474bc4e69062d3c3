"""A stream with validation every few batches, in a run that might only try the code out."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset


class Waves(IterableDataset):
    def __iter__(self):
        for number in range(40):
            yield torch.sin(torch.arange(4.0) * number)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.register_buffer("validated", torch.zeros(()))

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def validation_step(self, batch, batch_idx):
        self.validated += self.layer(batch).pow(2).mean() * (self.global_step + 1)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(Waves(), batch_size=4)

    def val_dataloader(self):
        return DataLoader(Waves(), batch_size=8)


def main():
    L.seed_everything(4)
    trainer = L.Trainer(
        max_steps=13,
        max_epochs=-1,
        fast_dev_run=bool(os.environ.get("TRY_OUT")),
        val_check_interval=3,
        check_val_every_n_epoch=None,
    )
    trainer.fit(Net())


if __name__ == "__main__":
    main()
