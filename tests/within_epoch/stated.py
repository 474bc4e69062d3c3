"""The same model with torchdata's loader, which tells its place by itself; it is killed where it is told so."""

import os
import random
import signal

import lightning.pytorch as pl
from model import Net, Noisy
from torch.utils.data import IterableDataset, get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader


class Killed(Net):
    def training_step(self, batch, batch_idx):
        if os.environ.get("KILLS") == f"{self.current_epoch}:{batch_idx}":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().training_step(batch, batch_idx)


class Resumable(IterableDataset):
    """Samples in an order of their own, which goes on from its state without reading what was read."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.read = 0
        self.goes_on = False

    def __iter__(self):
        if not self.goes_on:
            self.order, self.read = random.sample(range(44), 44), 0
        self.goes_on = False
        info = get_worker_info()
        rank = int(os.environ.get("RANK", "0"))
        mine = self.order[info.id if info else rank :: info.num_workers if info else 2]
        while self.read < len(mine):
            self.read += 1
            yield Noisy()[mine[self.read - 1]]

    def state_dict(self):
        return {"order": self.order, "read": self.read}

    def load_state_dict(self, state_dict):
        self.order, self.read = state_dict["order"], state_dict["read"]
        self.goes_on = bool(self.order)


class Sampled(pl.LightningDataModule):
    def __init__(self, workers: int = 0) -> None:
        super().__init__()
        self.workers = workers

    def train_dataloader(self):
        return StatefulDataLoader(Noisy(), 2, shuffle=True, num_workers=self.workers)


class Streamed(Sampled):
    def train_dataloader(self):
        return StatefulDataLoader(Resumable(), 2, num_workers=self.workers)
