"""Models that bring their training data, and fits that are given validation data alone, or none."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Learner(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3))
        self.seen = []

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.layers(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.seen.append((batch_idx, loss.item()))
        self.log("val_loss", loss, sync_dist=True)

    def train_dataloader(self):
        return DataLoader(samples(24, 1), 4, shuffle=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def new_trainer():
    devices = int(os.environ.get("WORLD_SIZE", "1"))
    return L.Trainer(max_epochs=2, accelerator="cpu", devices=devices, logger=False)


def main():
    L.seed_everything(1)
    given, without = Learner(), Learner()
    new_trainer().fit(given, val_dataloaders=DataLoader(samples(12, 2), 4))
    new_trainer().fit(without)
    results = [(model.seen, [*model.layers.state_dict().values()]) for model in (given, without)]
    torch.save(results, f"main_given_validation.{RANK}.results.pt")


if __name__ == "__main__":
    main()
