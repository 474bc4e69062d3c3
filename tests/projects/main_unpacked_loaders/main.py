"""Loaders that are unpacked where a model is trained and evaluated: out of what a function returns, and out of lists."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def loader(count, seed, shuffle=False):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=shuffle)


def loaders_of(count):
    train = loader(count, 0, shuffle=True)
    if count > 30:
        return train, loader(12, 1)
    return train, loader(8, 2)


def trainer():
    return L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=False)


def main():
    L.seed_everything(5)
    model, found = Model(), []
    loaders = loaders_of(40)
    one = trainer()
    one.fit(model, *loaders)
    found.append(dict(one.callback_metrics))
    given = [loader(24, 3, shuffle=True), loader(16, 4)]
    another = trainer()
    another.fit(model, *given)
    tested = (model, given[1])
    found += [dict(another.callback_metrics), another.test(*tested, verbose=False), model.layer.weight.detach()]
    torch.save(found, f"main_unpacked_loaders.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
