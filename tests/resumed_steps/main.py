"""Trains, then goes on from each checkpoint that was saved within epochs, with as many epochs in all."""

import os
import random
from pathlib import Path

import lightning.pytorch as pl
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from torchmetrics import MeanAbsoluteError, MetricCollection

WORKERS = int(os.environ.get("WORKERS", "0"))


class Noisy(Dataset):
    """Samples with noise, drawn anew each time."""

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> torch.Tensor:
        drawn = [random.random(), np.random.rand(), torch.rand(()).item()]
        return torch.arange(index, index + 6).sin() + torch.tensor(drawn * 2) / 9


class Stream(IterableDataset):
    """The same samples in an order of their own, of which nobody knows the number."""

    def __iter__(self):
        info = get_worker_info()
        order = list(range(20))
        random.shuffle(order)
        rank = int(os.environ.get("RANK", "0"))
        for index in order[info.id if info else rank :: info.num_workers if info else 2]:
            yield Noisy()[index]


class Counting(Callback):
    """Counts what it is called for."""

    def __init__(self) -> None:
        self.counts = {}

    def count(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.count("batches")

    def on_train_epoch_end(self, trainer, pl_module):
        self.count("ends")

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            self.count("validations")

    def state_dict(self):
        return dict(self.counts)

    def load_state_dict(self, state_dict):
        self.counts.update(state_dict)


class Net(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
        self.register_buffer("average", torch.zeros(()))
        self.error = MeanAbsoluteError()
        # of which one counts for both
        self.errors = MetricCollection({"first": MeanAbsoluteError(), "second": MeanAbsoluteError()})
        self.losses = []

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch).square().mean()
        self.log("loss", loss, on_epoch=True, on_step=True, sync_dist=True)
        outputs = self.layers(batch)[:, 0]
        self.error(outputs, batch[:, 0])
        self.log("error", self.error, on_epoch=True, on_step=False)
        self.errors.update(outputs, batch[:, 1])
        self.log_dict(self.errors, on_epoch=True, on_step=False)
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        """After callbacks have saved."""
        self.average = 0.9 * self.average + batch.sum() + torch.rand(())
        self.losses.append(outputs["loss"])

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch).square().mean() + torch.rand(()), sync_dist=True)

    def on_train_epoch_end(self):
        self.log("mean", torch.stack(self.losses).mean())
        self.losses.clear()

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        scheduler = ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=10.0)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


def saving(folder):
    return [ModelCheckpoint(folder, "{epoch}-{step}", save_top_k=-1, every_n_train_steps=int("1"))]


def train(folder, ckpt_path=None):
    pl.seed_everything(int("3"))
    counting, stopping, saves = Counting(), EarlyStopping("val_loss", patience=20), saving(folder)
    trainer = pl.Trainer(
        max_epochs=2, logger=False, callbacks=[counting, stopping, *saves], enable_progress_bar=False
    )
    model = Net()
    loader = DataLoader(Noisy(), 2, shuffle=True, num_workers=WORKERS)
    trainer.fit(model, loader, DataLoader(Noisy(), 8), ckpt_path=ckpt_path)
    scores = stopping.state_dict()
    return {
        "weights": model.state_dict(),
        "optimizer": trainer.optimizers[0].state_dict(),
        "counts": [counting.counts, scores["wait_count"], scores["best_score"]],
        "metrics": dict(trainer.callback_metrics),
        "draws": [torch.rand(()), random.random()],
        "saved": [path.stem for path in saved(folder)],
        "is_main": trainer.is_global_zero,
    }


def saved(folder):
    """What is kept of steps, by them."""
    return sorted(folder.glob("[es]*.ckpt"), key=lambda path: int(path.stem.rpartition("=")[2]))


def main() -> None:
    folder = Path("kept")
    whole = train(folder)
    results = {"whole": whole}
    points = saved(folder)
    for path in points[:: 1 + len(points) // 8]:
        results[path.stem] = train(Path(folder, path.stem), path)
    if whole["is_main"]:
        torch.save(results, "results.pt")


if __name__ == "__main__":
    main()
