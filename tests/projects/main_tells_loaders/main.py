"""What the trainer tells of loaders: a dict, a list of one, a list or one loader, as it was given."""

import argparse
import os
from collections import OrderedDict

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


def loader(count, seed=0):
    numbers = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(numbers), batch_size=4)


def shape(loaders):
    """Kinds, names and lengths."""
    if isinstance(loaders, dict):
        return type(loaders).__name__, [(name, shape(part)) for name, part in loaders.items()]
    if isinstance(loaders, list | tuple):
        return type(loaders).__name__, [shape(part) for part in loaders]
    return None if loaders is None else (len(loaders), len(loaders.dataset), type(loaders.sampler).__name__)


class Watcher(L.Callback):
    def on_validation_epoch_start(self, trainer, pl_module):
        SEEN.append(shape(trainer.val_dataloaders))


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        return self.layers(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


class Named(Model):
    """Its metrics have the names of the loaders."""

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        name = list(self.trainer.val_dataloaders)[dataloader_idx]
        self.log(f"{name}/loss", self.layers(batch[0]).mean(), add_dataloader_idx=False, sync_dist=True)

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        name = list(self.trainer.test_dataloaders.keys())[dataloader_idx]
        self.log(f"{name}/test", self.layers(batch[0]).mean(), add_dataloader_idx=False, sync_dist=True)


class Listed(Model):
    """It takes for granted that there is a list."""

    def train_dataloader(self):
        return loader(40)

    def val_dataloader(self):
        return [loader(16, 1)]

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("loss", self.layers(batch[0]).mean(), sync_dist=True)

    def on_validation_epoch_end(self):
        loaders = self.trainer.val_dataloaders
        self.log("count", float(len(loaders)))
        self.log("rows", float(len(loaders[0].dataset)))
        SEEN.extend(type(each).__name__ for each in loaders)

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        SEEN.append(shape(self.trainer.predict_dataloaders))
        return self.layers(batch[0])


class NamedData(L.LightningDataModule):
    def train_dataloader(self):
        return loader(40)

    def val_dataloader(self):
        return {"easy": loader(16, 1), "hard": loader(10, 2)}

    def test_dataloader(self):
        return {"hard": loader(8, 2), "new": loader(12, 3)}


class AnyData(NamedData):
    """A run alone knows what its hook returns."""

    def __init__(self, counts):
        super().__init__()
        self.counts = counts

    def val_dataloader(self):
        loaders = [loader(count, count) for count in self.counts]
        return loaders[0] if len(loaders) == 1 else OrderedDict(zip("ab", loaders, strict=True))


class Any(Model):
    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("loss", self.layers(batch[0]).mean(), sync_dist=True)


def trainer_for(**settings):
    return L.Trainer(enable_progress_bar=False, logger=False, callbacks=[Watcher()], **settings)


def seen_of(trainer):
    metrics = {name: float(value) for name, value in trainer.callback_metrics.items()}
    SEEN.append((shape(trainer.val_dataloaders), metrics))


def train_named():
    trainer, model, data = trainer_for(max_epochs=2), Named(), NamedData()
    trainer.fit(model, data)
    seen_of(trainer)
    SEEN.append(trainer.validate(model, data, verbose=False))
    SEEN.append(trainer.test(model, data, verbose=False))
    SEEN.append(shape(trainer.test_dataloaders))


def train_listed():
    trainer, model = trainer_for(max_epochs=1), Listed()
    trainer.fit(model)
    seen_of(trainer)
    trainer.validate(model, verbose=False)
    trainer.predict(model, [loader(8, 4)])
    trainer.predict(model, loader(8, 4))
    SEEN.append(shape(trainer.predict_dataloaders))


def train_any(limit):
    for counts in ([12], [8, 12]):
        for limited in (limit, 0):
            trainer = trainer_for(max_epochs=2, limit_val_batches=limited, reload_dataloaders_every_n_epochs=1)
            trainer.fit(Any(), AnyData(counts))
            seen_of(trainer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=float, default=1.0)
    L.seed_everything(5)
    train_named()
    train_listed()
    train_any(parser.parse_args().limit)
    torch.save(SEEN, f"main_tells_loaders.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
