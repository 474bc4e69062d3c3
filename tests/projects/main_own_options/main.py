"""Functions that make Trainers of what they are given, and take options of their own out of it first."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def trainer_of(**options):
    settings = dict(max_epochs=1, logger=False, enable_progress_bar=False)
    settings.update(options)
    fast = settings.pop("fast", False)
    if settings.get("twice"):
        settings["max_epochs"] = 2 * settings["max_epochs"]
        del settings["twice"]
    return L.Trainer(limit_train_batches=3 if fast else 1.0, **settings)


def main():
    L.seed_everything(1)
    trainer = trainer_of(fast=True, twice=True, gradient_clip_val=0.3)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.randn(40, 6)), 4))


if __name__ == "__main__":
    main()
