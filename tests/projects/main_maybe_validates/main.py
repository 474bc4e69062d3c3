"""Trainings without validation and with several loaders of it, which draw from a generator."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(TensorDataset(x), batch_size=4, shuffle=True, generator=generator)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def train(data, val=None):
    L.seed_everything(1)
    model, trainer = Net(), L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(model, data, val)
    return model.state_dict(), {name: value.item() for name, value in trainer.callback_metrics.items()}


if __name__ == "__main__":
    results = [train(loader(24, 1)), train(loader(20, 2), [loader(8, 3), loader(12, 4)])]
    torch.save(results, f"main_maybe_validates.{RANK}.results.pt")
