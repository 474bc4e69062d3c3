"""Steps and optimizers that ask Lightning's own class, which does nothing, and a base of the project's, which does."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader():
    return DataLoader(TensorDataset(torch.arange(32.0).view(8, 4) / 10), batch_size=2)


class Net(L.LightningModule):
    """What it asks of its base gives nothing."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        self.seen.append(super().training_step(batch, batch_idx))
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.seen.append(super().validation_step(batch, batch_idx=batch_idx))
        self.log("val_loss", self.layer(batch[0]).mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.seen.append(super().test_step(batch, batch_idx))
        self.log("test_loss", self.layer(batch[0]).mean(), sync_dist=True)

    def configure_optimizers(self):
        return super().configure_optimizers()


class Trained(Net):
    def validation_step(self, batch, batch_idx):
        super().validation_step(batch, batch_idx)
        self.seen.append(batch_idx)

    def configure_optimizers(self):
        return super().configure_optimizers() or torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(5)
    found = []
    for model in (Net(), Trained()):
        trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
        trainer.fit(model, loader(), loader())
        results = trainer.test(model, loader())
        found += [results, model.seen, model.layer.weight.detach().clone()]
    torch.save(found, f"main_idle_bases.{RANK}.results.pt")


if __name__ == "__main__":
    main()
