"""Data modules whose constructors make loader hooks of other methods, for what they are given."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def samples(count, seed):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Named(L.LightningDataModule):
    def __init__(self, train=None, validation=None, test=None):
        super().__init__()
        self.counts = {}
        if train is not None:
            self.counts["train"] = train
            self.train_dataloader = self._train_dataloader
        if validation is not None:
            self.counts["validation"] = validation
            self.val_dataloader = self._val_dataloader
        if test is not None:
            self.counts["test"] = test
            self.test_dataloader = self._test_dataloader

    def setup(self, stage=None):
        self.datasets = {name: samples(count, len(name)) for name, count in self.counts.items()}

    def _train_dataloader(self):
        return DataLoader(self.datasets["train"], batch_size=4, shuffle=True)

    def _val_dataloader(self):
        return DataLoader(self.datasets["validation"], batch_size=4)

    def _test_dataloader(self):
        return DataLoader(self.datasets["test"], batch_size=4)


class Both(Named):
    """Has other batches."""

    def _val_dataloader(self):
        return DataLoader(self.datasets["validation"], batch_size=8)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.seen = []
        self.setup = False  # no hook, as it cannot be called

    def loss(self, batch):
        if not self.setup:
            self.scale = torch.rand(1, 3)
            self.setup = True
        return nn.functional.mse_loss(self.layer(batch[0] * self.scale), batch[1])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.seen.append(batch_idx + torch.rand(()).item())
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def val_dataloader(self):  # which Lightning does not ask for beside a data module
        return DataLoader(samples(12, 0), batch_size=4)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def train(data):
    L.seed_everything(5)
    model = Model()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(model, datamodule=data)
    metrics = dict(trainer.callback_metrics)
    tested = trainer.test(model, datamodule=data) if "test" in data.counts else []
    return model.seen, metrics, tested, model.layer.weight.detach()


if __name__ == "__main__":
    cases = [Named(24, 8), Named(train=16), Both(16, 24, 16), Named(24, None, 8)]
    found = {str(number): train(data) for number, data in enumerate(cases)}
    torch.save(found, f"main_aliased_loaders.{os.environ.get('RANK', '0')}.results.pt")
