from typing import Any

import torch
from lightning.pytorch import LightningDataModule, LightningModule
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Spirals(Dataset):
    """Two arms of a spiral."""

    def __init__(self, n: int, seed: int):
        g = torch.Generator().manual_seed(seed)
        t = 3 * torch.rand(n, generator=g)
        self.label = torch.arange(n) % 2
        angle = 2 * t + self.label * torch.pi
        self.x = torch.stack([t * angle.cos(), t * angle.sin()], 1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.label[i]


class SpiralClassifier(LightningModule):
    """Two lists returned, and a dictionary with more than the loss, which on_train_batch_end reads."""

    def __init__(self, width: int = 16, lr: float = 3e-2, gamma: float = 0.5):
        super().__init__()
        self.save_hyperparameters("lr", "gamma")
        self.body = nn.Sequential(nn.Linear(2, width), nn.ELU(), nn.Linear(width, width), nn.ELU())
        self.head = nn.Linear(width, 2)

    def on_train_epoch_start(self):
        self.seen = 0

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> dict[str, Any]:
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("train_loss", loss)
        return {"loss": loss, "correct": (logits.argmax(1) == y).sum(), "n": len(y)}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.seen += outputs["n"]
        self.log("scaled_loss", outputs["loss"])
        self.log("correct", outputs["correct"].float(), on_step=False, on_epoch=True, reduce_fx="sum")
        self.log("seen", float(self.seen))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("val_loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.RMSprop(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=self.hparams.gamma)
        return [optimizer], [scheduler]


class SpiralData(LightningDataModule):
    def setup(self, stage=None):
        if stage in (None, "fit"):
            self.train_set = Spirals(70, seed=0)
            self.val_set = Spirals(21, seed=1)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=10, shuffle=True)

    def val_dataloader(self):
        # the last batch is a smaller one: the epoch's mean is weighted
        return DataLoader(self.val_set, batch_size=8)
