"""A model whose samples, steps and logs draw random numbers; it fails where the environment says so."""

import os
import random
import signal
import time
from collections import defaultdict

import lightning.pytorch as pl
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate, get_worker_info
from torchmetrics import MeanAbsoluteError


def tell(where: str) -> None:
    """Have this process told to leave, where the environment says so for it; all ranks are slow then."""
    place, name, ranks = os.environ.get("TOLD", "nowhere SIGTERM 0").split()
    if where == place:
        if os.environ.get("RANK", "0") in ranks:
            os.kill(os.getpid(), signal.Signals[name])
        time.sleep(0.8)


class Noisy(Dataset):
    """Samples with noise, drawn anew each time."""

    def __len__(self) -> int:
        return 44

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        drawn = [random.random(), np.random.rand(), torch.rand(()).item()]
        x = torch.arange(index, index + 6).sin() + torch.tensor(drawn * 2) / 9
        return x, x.sum() + index % 3


class Stream(IterableDataset):
    """The same samples in an order of their own, of which nobody knows the number."""

    def __iter__(self):
        info = get_worker_info()
        order = list(range(44))
        random.shuffle(order)
        rank = int(os.environ.get("RANK", "0"))
        for index in order[info.id if info else rank :: info.num_workers if info else 2]:
            yield Noisy()[index]


class Net(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1)
        )
        self.losses: list[torch.Tensor] = []
        self.counts: dict[str, int] = defaultdict(int)

    def on_train_epoch_end(self):
        self.log("mean", torch.stack(self.losses).mean() + self.counts["large"])
        self.losses.clear()
        self.counts.clear()

    def training_step(self, batch, batch_idx):
        if os.environ.get("FAILS") == f"{self.current_epoch}:{batch_idx}":
            raise RuntimeError("as it was told to")
        tell(f"{self.current_epoch}:{batch_idx}")
        x, y = batch.values() if isinstance(batch, dict) else batch
        loss = (self.layers(x)[:, 0] - y).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("most", loss, on_step=False, on_epoch=True, reduce_fx="max")
        self.losses.append(loss)
        self.counts["large"] += int(loss > 1)
        if batch_idx % 3 == 0:
            self.log("third", loss, sync_dist=True, on_epoch=True)
        return loss

    def on_save_checkpoint(self, checkpoint):
        tell(f"saving-{self.current_epoch}")

    def validation_step(self, batch, batch_idx):
        if not self.trainer.sanity_checking and batch_idx == 0:
            tell(f"validating-{self.current_epoch}")
        self.log("val_loss", (self.layers(batch[0])[:, 0] - batch[1]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.7)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class Data(pl.LightningDataModule):
    """Drawn in an order by a sampler, with workers or without."""

    def __init__(self, workers: int = 0) -> None:
        super().__init__()
        self.workers = workers

    def train_dataloader(self):
        return DataLoader(Noisy(), 2, shuffle=True, num_workers=self.workers)

    def val_dataloader(self):
        return DataLoader(Noisy(), 8)


def by_name(rows):
    """A batch as a dict."""
    return dict(zip("xy", default_collate(rows), strict=True))


class Streamed(Data):
    def __init__(self, workers: int = 0, named: bool = False) -> None:
        super().__init__(workers)
        self.collate = by_name if named else None

    def train_dataloader(self):
        return DataLoader(Stream(), 2, num_workers=self.workers, collate_fn=self.collate)


class Counted(Net):
    """Counts right answers with torchmetrics."""

    def __init__(self) -> None:
        super().__init__()
        self.error = MeanAbsoluteError()

    def on_train_start(self):
        """For which the first epoch's batches are fetched before."""

    def training_step(self, batch, batch_idx):
        self.error(self.layers(batch[0])[:, 0], batch[1])
        self.log("error", self.error, on_step=True, on_epoch=True)
        return super().training_step(batch, batch_idx)
