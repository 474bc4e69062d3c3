from dataclasses import dataclass
from typing import NamedTuple

import lightning as L
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class Target(NamedTuple):
    value: Tensor
    weight: Tensor


@dataclass
class Sample:
    x: Tensor
    target: Target
    name: str


class Rows(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return Sample(x, Target(x.sum(), x[0].abs()), f"row {i}")


def collate(samples):
    batch = Sample(
        torch.stack([s.x for s in samples]),
        Target(
            torch.stack([s.target.value for s in samples]), torch.stack([s.target.weight for s in samples])
        ),
        ", ".join(s.name for s in samples),
    )
    return {"meta": ["a string", 3, None], "inner": {"samples": [batch], "extra": (batch.x[:, :1], 0.5)}}


class Nested(L.LightningModule):
    """Batches of dictionaries, lists, named tuples and dataclasses; their size is found depth first."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def loss(self, batch):
        sample = batch["inner"]["samples"][0]
        assert isinstance(sample.target, Target) and isinstance(batch["inner"]["extra"], tuple)
        error = self.net(sample.x).squeeze(1) - sample.target.value
        return (sample.target.weight * error.abs()).mean() + batch["inner"]["extra"][0].mean()

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3)
        return [{"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}]

    def train_dataloader(self):
        return DataLoader(Rows(26), batch_size=4, shuffle=True, collate_fn=collate)

    def val_dataloader(self):
        return DataLoader(Rows(10), batch_size=4, collate_fn=collate)
