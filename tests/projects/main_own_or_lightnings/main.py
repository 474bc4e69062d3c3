"""Callbacks by name: Lightning's where its module has the name, else one of the project's own."""

import os

import lightning as L
import torch
from lightning.pytorch import callbacks
from torch import nn
from torch.utils.data import DataLoader

OWN = {}
CHOSEN = [("Count", {"first": 10}), ("EarlyStopping", {"monitor": "loss", "patience": 1}), ("Count", {})]


def register(cls):
    OWN[cls.__name__] = cls
    return cls


@register
class Count(L.Callback):
    def __init__(self, first=0):
        self.counted = [first]

    def on_train_batch_end(self, *given):
        self.counted.append(self.counted[-1] + 1)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).sum() * (-1) ** self.current_epoch
        self.log("loss", loss.abs(), on_epoch=True, on_step=False)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def build(chosen):
    made = []
    for name, options in chosen:
        if hasattr(callbacks, name):
            made.append(getattr(callbacks, name)(**options))
        else:
            made.append(OWN[name](**options))
    return made


if __name__ == "__main__":
    L.seed_everything(6)
    made = build(CHOSEN)
    trainer = L.Trainer(max_epochs=6, accelerator="cpu", callbacks=made, enable_progress_bar=False)
    trainer.fit(Net(), DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2))
    found = [each.counted for each in made if isinstance(each, Count)]
    torch.save(found, f"main_own_or_lightnings.{os.environ.get('RANK', '0')}.results.pt")
