"""Loaders that are iterators: they know no length, and are not dealt out among ranks."""

import os
from itertools import cycle

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


def points(count, size=4):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(count))
    return DataLoader(TensorDataset(x), batch_size=size, shuffle=True)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.told = []
        self.layers = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(3, 1))

    def training_step(self, batch, batch_idx):
        (left,), (right,) = batch
        loss = (self.layers(left).mean() - self.layers(right).mean()).square()
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch).square().mean(), sync_dist=True)

    def on_train_start(self):
        self.told += [self.trainer.num_training_batches, self.trainer.num_val_batches]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Data(L.LightningDataModule):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def train_dataloader(self):
        styles = points(8)
        pairs = zip(points(24), cycle(styles))
        return pairs

    def val_dataloader(self):
        return map(torch.cat, points(self.count))


def run(count=16, **settings):
    L.seed_everything(3)
    net = Net()
    saving = ModelCheckpoint(f"kept-{count}-{len(settings)}", monitor="val_loss")
    trainer = L.Trainer(
        max_epochs=3,
        logger=False,
        enable_progress_bar=False,
        callbacks=[saving],
        reload_dataloaders_every_n_epochs=1,
        **settings,
    )
    trainer.fit(net, Data(count))
    metrics = {name: value.clone() for name, value in trainer.callback_metrics.items()}
    told = [*net.told, os.path.basename(saving.best_model_path), saving.best_model_score, metrics, trainer.global_step]
    return [*told, *(each.clone() for each in net.state_dict().values())]


if __name__ == "__main__":
    results = [run(), run(8), run(val_check_interval=2), run(accumulate_grad_batches=4, limit_val_batches=2)]
    torch.save(results, f"main_iterators.{os.environ.get('RANK', '0')}.results.pt")
