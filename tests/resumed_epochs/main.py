"""Trains, then goes on from each checkpoint that was saved on the way, with as many epochs in all."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset

AT_END = os.environ["SAVES"] == "end"


class Counting(Callback):
    """Counts what it is called for."""

    def __init__(self) -> None:
        self.counts = {}

    def count(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1

    def on_train_epoch_start(self, trainer, pl_module):
        self.count("starts")

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
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        self.register_buffer("average", torch.zeros(()))

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).square().mean()
        self.log("loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def on_train_epoch_end(self):
        self.average = 0.9 * self.average + self.layers[0].weight.sum()

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        scheduler = ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=10.0)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


def train(folder, ckpt_path=None):
    pl.seed_everything(int("3"))
    data = TensorDataset(torch.randn(32, 6, generator=torch.Generator().manual_seed(3)))
    counting, stopping = Counting(), EarlyStopping("val_loss", patience=10)
    saving = ModelCheckpoint(folder, "{step}", "val_loss", save_top_k=-1, save_on_train_epoch_end=AT_END)
    callbacks = [counting, stopping, saving]
    trainer = pl.Trainer(max_epochs=4, logger=False, callbacks=callbacks, enable_progress_bar=False)
    model = Net()
    loader = DataLoader(data, batch_size=4, shuffle=True)
    trainer.fit(model, loader, DataLoader(data, batch_size=8), ckpt_path=ckpt_path)
    scores = stopping.state_dict()
    return {
        "weights": model.layers.state_dict(),
        "optimizer": trainer.optimizers[0].state_dict(),
        "at_ends": [model.average, counting.counts, scores["wait_count"], scores["best_score"]],
        "is_main": trainer.is_global_zero,
    }


def main() -> None:
    whole = train(Path("kept"))
    results = {"whole": whole}
    for path in sorted(Path("kept").glob("*.ckpt")):
        if not torch.load(path).get("within_epoch"):
            results[path.stem] = train(Path("kept", path.stem), path)
    if whole["is_main"]:
        torch.save(results, "results.pt")


if __name__ == "__main__":
    main()
