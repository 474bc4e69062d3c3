"""A monitor of the learning rates of optimizers that the model steps itself: of one kind, with and without schedulers."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Pair(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.one, self.other, self.third = nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        optimizers = self.optimizers()
        loss = sum(F.cross_entropy(layer(x), y) for layer in (self.one, self.other, self.third))
        for optimizer in optimizers:
            optimizer.zero_grad()
        self.manual_backward(loss)
        for optimizer in optimizers:
            optimizer.step()
        self.log("loss", loss)
        for scheduler in self.lr_schedulers():
            scheduler.step()

    def configure_optimizers(self):
        one, third = torch.optim.Adam(self.one.parameters(), lr=0.1), torch.optim.SGD(
            self.third.parameters(), lr=0.2
        )
        groups = [{"params": [self.other.weight], "lr": 0.05}, {"params": [self.other.bias], "name": "bias"}]
        other = torch.optim.Adam(groups, lr=0.01)
        warmup = torch.optim.lr_scheduler.LinearLR(third, 0.1, total_iters=4)
        decay = torch.optim.lr_scheduler.StepLR(other, 2, 0.5)
        return [one, other, third], [decay, {"scheduler": warmup, "name": "warmup", "interval": "step"}]


def main() -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        logger=CSVLogger("logs"),
        callbacks=[
            LearningRateMonitor("step", log_momentum=True, log_weight_decay=True),
            LearningRateMonitor(),
            ModelCheckpoint("kept"),
        ],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    trainer.fit(Pair(), DataLoader(samples(), batch_size=4))


if __name__ == "__main__":
    main()
