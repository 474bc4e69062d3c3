"""Validation that is due by the clock, which the model moves on."""

import os
import time
from datetime import timedelta

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def dataset(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Net(L.LightningModule):
    def __init__(self, clock, seen, stops_at=-1):
        super().__init__()
        self.clock, self.seen, self.stops_at = clock, seen, stops_at
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        self.trainer.should_stop = self.global_step == self.stops_at
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.clock.now += 7

    def validation_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("val_loss", loss, sync_dist=True)

    def on_validation_end(self):
        self.clock.now += 5
        at = self.current_epoch, self.global_step, self.trainer.sanity_checking
        self.seen.append((*at, self.trainer.callback_metrics.get("val_loss", torch.tensor(0.0)).item()))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return DataLoader(dataset(48), batch_size=2, shuffle=True)

    def val_dataloader(self):
        return DataLoader(dataset(12), batch_size=2)


def run(clock, interval, every=1, reload_every=0, stops_at=-1):
    seen = []
    saving = ModelCheckpoint("by_time", monitor="val_loss", save_top_k=2)
    trainer = L.Trainer(
        max_epochs=3,
        val_check_interval=interval,
        check_val_every_n_epoch=every,
        reload_dataloaders_every_n_epochs=reload_every,
        callbacks=[saving],
    )
    trainer.fit(Net(clock, seen, stops_at))
    return [*seen, trainer.global_step, f"{saving.best_model_score}", os.path.basename(saving.best_model_path)]


if __name__ == "__main__":
    time.monotonic = clock = Clock()
    L.seed_everything(3)
    found = [
        run(clock, timedelta(seconds=20)),
        run(clock, {"minutes": 1}, every=2),
        run(clock, "00:00:00:50", every=None),
        run(clock, timedelta(seconds=50), reload_every=1),
        run(clock, "01:00:00:00", stops_at=4),
    ]
    torch.save(found, f"main_by_time.{RANK}.results.pt")
