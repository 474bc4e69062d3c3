"""Evaluations on the model's own loaders, by Trainers of which other functions have told that they have a data module."""

import os
import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    return TensorDataset(torch.randn(count, 4, generator=torch.Generator().manual_seed(seed)))


class Data(L.LightningDataModule):
    def __init__(self):
        super().__init__()
        self.stages = []

    def setup(self, stage):
        self.stages.append("" + stage)

    def train_dataloader(self):
        return DataLoader(samples(16, 0), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(9, 1), batch_size=4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).abs().mean(), sync_dist=True)

    def test_dataloader(self):
        return DataLoader(samples(11, 2), batch_size=4)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def make_trainer(is_short):
    if is_short:
        return L.Trainer(max_epochs=1, enable_progress_bar=False, enable_checkpointing=False)
    return L.Trainer(max_epochs=2, enable_progress_bar=False)


class Runner:
    def __init__(self, trainer, model, data):
        self.trainer, self.model, self.data = trainer, model, data

    def train(self):
        print("training begins")
        self.trainer.fit(self.model, self.data)

    def evaluate(self):
        return self.trainer.test(self.model, verbose=False)


def either(data):
    trainer = make_trainer(True)
    if sys.argv[1:]:
        trainer.validate(Net(), datamodule=data)
    else:
        return trainer.test(Net(), verbose=False)


def main():
    L.seed_everything(3)
    model, data, others = Net(), Data(), [Data(), Data()]
    runner = Runner(L.Trainer(max_epochs=1, enable_progress_bar=False, enable_checkpointing=False), Net(), others[0])
    runner.train()
    results = {"by methods": runner.evaluate()}
    trainer = make_trainer(bool(sys.argv[1:]))
    trainer.fit(model, datamodule=data)
    results["by a function"] = trainer.test(model, verbose=False)
    torch.save({"state_dict": model.state_dict(), "pytorch-lightning_version": "2.6.6"}, "first.ckpt")
    validator = make_trainer(True)
    validator.validate(Net(), datamodule=others[1], verbose=False)
    results["without"] = validator.test(verbose=False, ckpt_path="first.ckpt")
    results["either"] = either(Data())
    tester = make_trainer(True)
    results["by another"] = tester.test(model, verbose=False)
    results["stages"] = [each.stages for each in (data, *others)]
    torch.save(results, f"main_kept_data.{RANK}.results.pt")


if __name__ == "__main__":
    main()
