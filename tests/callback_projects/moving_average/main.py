"""Moving averages of weights, of Lightning's kinds and a class derived from these, validated, saved and gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EMAWeightAveraging, ModelCheckpoint, WeightAveraging
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.optim.swa_utils import get_ema_avg_fn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Late(WeightAveraging):
    """Starts after some steps, and averages after epochs too."""

    def __init__(self, first: int) -> None:
        super().__init__(avg_fn=get_ema_avg_fn(0.5))
        self.first = first

    def should_update(self, step_idx=None, epoch_idx=None):
        return epoch_idx == 1 or (step_idx is not None and step_idx >= self.first)


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_loss", F.cross_entropy(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)


def train(name, averaging, max_epochs=3, ckpt_path=None) -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        accumulate_grad_batches=2,
        logger=CSVLogger("logs", name=name),
        callbacks=[averaging, ModelCheckpoint(f"kept/{name}", save_top_k=-1)],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Classifier()
    trainer.fit(model, DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8), ckpt_path=ckpt_path)
    trainer.test(model, DataLoader(samples(), batch_size=8))


def main() -> None:
    train("mean", WeightAveraging())
    train("parameters", WeightAveraging(use_buffers=False, device="cpu"))
    train("moving", EMAWeightAveraging(decay=0.8, update_every_n_steps=2, update_starting_at_step=2))
    train("by_epoch", EMAWeightAveraging(decay=0.8, update_starting_at_step=20, update_starting_at_epoch=1))
    train("late", Late(3), max_epochs=2)
    (first,) = [name for name in os.listdir("kept/late") if name.startswith("epoch=0")]
    train("resumed", Late(3), ckpt_path=f"kept/late/{first}")


if __name__ == "__main__":
    main()
