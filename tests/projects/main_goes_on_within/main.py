"""A run that goes on within an epoch, before which validation is not tried again."""

import os
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


SEEN = []
"""By each batch of a validation whether it is tried, its place, and the steps until then."""


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return (self.layer(x) - y).pow(2).mean()

    def validation_step(self, batch, batch_idx):
        SEEN.append((self.trainer.sanity_checking, batch_idx, self.global_step))
        x, y = batch
        self.log("val_loss", (self.layer(x) - y).pow(2).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def samples(count):
    x = torch.linspace(-1, 1, 3 * count).reshape(count, 3)
    return TensorDataset(x, x.sum(1, keepdim=True))


class Saving(ModelCheckpoint):
    """Saves as its base does, in a folder that it is told later."""

    folder = ""

    def setup(self, trainer, pl_module, stage):
        self.dirpath = os.path.abspath(self.folder)
        super().setup(trainer, pl_module, stage)


def train(epochs, folder, ckpt_path=None):
    saving = Saving(filename="{step}", every_n_train_steps=4, save_top_k=-1)
    saving.folder = folder
    trainer = L.Trainer(max_epochs=epochs, callbacks=[saving], logger=False, enable_progress_bar=False)
    SEEN.clear()
    loaders = DataLoader(samples(48), batch_size=4), DataLoader(samples(12), batch_size=4)
    trainer.fit(Regressor(), *loaders, ckpt_path=ckpt_path)
    return [*SEEN]


def steps_kept(steps, ckpt_path=None):
    """The last checkpoint, which is written at a run's end where none was due in it."""
    saving = ModelCheckpoint("within-last", save_last=True, every_n_train_steps=5, save_top_k=0)
    saving.CHECKPOINT_NAME_LAST = "newest"
    trainer = L.Trainer(max_steps=steps, callbacks=[saving], logger=False, enable_progress_bar=False)
    trainer.fit(Regressor(), DataLoader(samples(48), batch_size=4), ckpt_path=ckpt_path)
    return torch.load(saving.last_model_path, weights_only=True)["global_step"]


def main():
    L.seed_everything(4)
    seen = {"at first": train(1, "within-first"), "within": train(2, "within-later", Path("within-first", "step=4.ckpt"))}
    seen["kept"] = [steps_kept(5), steps_kept(7, Path("within-last", "newest.ckpt"))]
    if os.environ.get("RANK", "0") == "0":
        torch.save(seen, "main_goes_on_within.seen.results.pt")


if __name__ == "__main__":
    main()
