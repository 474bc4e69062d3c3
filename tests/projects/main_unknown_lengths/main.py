"""Loaders that may be streams: a run alone knows if they have a length, and so if a batch is fetched ahead."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return (torch.rand(3) for _ in range(self.count))


class Points(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.rand(3)


def loader(streams, count):
    return DataLoader(Stream(count) if streams else Points(count), batch_size=2)


class Net(L.LightningModule):
    def __init__(self, told):
        super().__init__()
        self.told = told
        self.layers = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(3, 1))

    def training_step(self, batch, batch_idx):
        return self.layers(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.layers(batch) * torch.rand(1)).mean(), sync_dist=True)

    def on_train_start(self):
        self.told += [self.trainer.num_training_batches, self.trainer.num_val_batches]

    def configure_optimizers(self):
        self.told.append(self.trainer.estimated_stepping_batches)
        return torch.optim.SGD(self.parameters(), 0.1)


class Data(L.LightningDataModule):
    def __init__(self, streams, validates_streams):
        super().__init__()
        self.streams, self.validates_streams = streams, validates_streams

    def train_dataloader(self):
        return loader(self.streams, 12)

    def val_dataloader(self):
        return loader(self.validates_streams, 8)


def run(streams, **settings):
    L.seed_everything(3)
    told = []
    net = Net(told)
    trainer = L.Trainer(
        max_epochs=3,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        reload_dataloaders_every_n_epochs=1,
        **settings,
    )
    trainer.fit(net, Data(streams, not streams))
    return [*told, trainer.callback_metrics["val_loss"].clone(), *(each.clone() for each in net.state_dict().values())]


if __name__ == "__main__":
    results = [run(False), run(True), run(False, accumulate_grad_batches=2), run(True, accumulate_grad_batches=2)]
    results += [run(False, limit_train_batches=0.7), run(True, limit_train_batches=2, limit_val_batches=3)]
    results += [run(False, val_check_interval=0.5), run(True, val_check_interval=4), run(True, val_check_interval=1.0)]
    torch.save(results, f"main_unknown_lengths.{os.environ.get('RANK', '0')}.results.pt")
