"""Settings that end training by the clock, read few batches, or make loaders anew: values and expressions."""

import os
from datetime import timedelta

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

RANK = os.environ.get("RANK", "0")


def dataset(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Net(L.LightningModule):
    def __init__(self, seen):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = seen

    def on_train_start(self):
        self.seen.append("starts")

    def on_train_end(self):
        self.seen.append("ends")

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.seen.append(("train", self.current_epoch, batch_idx, loss.item()))
        return loss

    def validation_step(self, batch, batch_idx):
        self.seen.append(("val", batch_idx, self.loss(batch).item()))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


class Data(L.LightningDataModule):
    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def train_dataloader(self):
        self.seen.append("train_dataloader")
        data = dataset(16 + 8 * len([each for each in self.seen if each == "train_dataloader"]))
        return DataLoader(data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        self.seen.append("val_dataloader")
        data = dataset(12)
        return DataLoader(data, batch_size=4, sampler=WeightedRandomSampler([1.0] * 12, 12))


def run(**settings):
    seen = []
    trainer = L.Trainer(enable_progress_bar=False, enable_checkpointing=False, **settings)
    trainer.fit(Net(seen), datamodule=Data(seen))
    return [*seen, trainer.current_epoch, trainer.global_step]


def main():
    L.seed_everything(3)
    found = []
    for overfit in (0.0, 1, 0.5):
        found.append(run(max_epochs=2, overfit_batches=overfit, limit_train_batches=3))
    for every in (0, 1, 2):
        found.append(run(max_epochs=4, reload_dataloaders_every_n_epochs=every))
    for time in (None, timedelta(0), {"hours": 1}, "00:00:00:00"):
        found.append(run(max_epochs=3, min_epochs=1, max_time=time))
    for splits in (True, False):
        found.append(run(max_epochs=2, use_distributed_sampler=splits))
    for limit in (0, 0.5, 2):
        L.seed_everything(3)
        seen = run(max_epochs=2, limit_train_batches=limit, num_sanity_val_steps=0)
        found.append([each for each in seen if each not in ("train_dataloader", "val_dataloader")])
    torch.save(found, f"main_limits.{RANK}.results.pt")


if __name__ == "__main__":
    main()
