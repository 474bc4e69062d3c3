"""CombinedLoaders in validation, tests and predictions: loaders that are read together, and one after the other."""

import os

import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


def loader(count, seed, batch_size=4):
    numbers = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(numbers), batch_size=batch_size, shuffle=True)


class Watcher(L.Callback):
    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        SEEN.append((batch_idx, dataloader_idx, pl_module.parts_of(batch)))

    def on_test_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        SEEN.append((batch_idx, dataloader_idx, batch))


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
        self.tested = None

    def parts_of(self, batch):
        parts = batch.values() if isinstance(batch, dict) else batch
        return [part[0] for part in parts if part is not None]

    def training_step(self, batch, batch_idx):
        return self.layers(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        for place, part in enumerate(self.parts_of(batch)):
            self.log(f"val_{place}", self.layers(part).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx, dataloader_idx):
        self.log("test", self.layers(batch[0]).mean() + dataloader_idx, sync_dist=True)

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return self.layers(batch[0]) + dataloader_idx

    def on_validation_end(self):
        SEEN.append((self.trainer.num_val_batches, type(self.trainer.val_dataloaders).__name__))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)

    def train_dataloader(self):
        return loader(32, 0)

    def val_dataloader(self):
        count, made = self.counted({"few": loader(20, 1), "many": loader(40, 2, 5)}, cycles=True)
        SEEN.append(count)
        return made

    def test_dataloader(self):
        self.tested = CombinedLoader([loader(12, 3), {"more": loader(16, 4)}], "sequential")
        return self.tested

    def predict_dataloader(self):
        _, made = self.counted([loader(4, 9), loader(8, 3)])
        return made

    def counted(self, loaders, cycles=False):
        return len(loaders), self.combined(loaders, cycles)

    def combined(self, loaders, cycles=False):
        return CombinedLoader(loaders, "max_size_cycle" if cycles else "sequential")


def main():
    L.seed_everything(5)
    trainer = L.Trainer(
        max_epochs=2, limit_val_batches=0.8, limit_test_batches=3, callbacks=[Watcher()], enable_progress_bar=False
    )
    model = Model()
    trainer.fit(model)
    SEEN.append(trainer.validate(model, CombinedLoader([loader(12, 5), loader(24, 6)], "max_size"), verbose=False))
    SEEN.append(trainer.validate(model, CombinedLoader([loader(12, 5), loader(24, 6)]), verbose=False))
    SEEN.append(trainer.test(model, verbose=False))
    if trainer.world_size == 1:
        SEEN.append(trainer.predict(model))
        SEEN.append(trainer.predict(model, CombinedLoader([loader(8, 7), loader(4, 8)], "sequential")))
    torch.save(SEEN, f"main_combined.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
