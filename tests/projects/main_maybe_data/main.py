"""Loaders to evaluate on, of a Trainer that has a data module only if it has trained."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Points(L.LightningDataModule):
    def __init__(self, size=12):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        SEEN.append(("setup", str(stage)))
        x = torch.arange(4.0 * self.hparams.size).reshape(-1, 4).sin()
        self.points = TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.points, batch_size=3)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [batch[0] * 2, batch[1]]

    def teardown(self, stage):
        SEEN.append(("teardown", str(stage)))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return (self.layer(batch[0]) - batch[1]).square().mean()

    def test_step(self, batch, batch_idx):
        SEEN.append(self.trainer.datamodule is None)
        self.log("test_loss", (self.layer(batch[0]) - batch[1]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def run(trains):
    model, data = Net(), Points()
    trainer = L.Trainer(max_epochs=1)
    if trains:
        trainer.fit(model, datamodule=data)
    data.setup("all")
    SEEN.append(trainer.test(model, dataloaders=DataLoader(data.points, batch_size=4)))
    SEEN.append(trainer.predict(model, DataLoader(data.points, batch_size=6)))


if __name__ == "__main__":
    L.seed_everything(1)
    for trains in (False, True):
        run(trains)
    torch.save(SEEN, f"main_maybe_data.{os.environ.get('RANK', '0')}.results.pt")
