"""Methods of Trainers that code hands on, keeps under other names, and gets by theirs."""

import argparse
import os
from functools import partial

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=4, shuffle=not seed)


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

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def make_trainer():
    return L.Trainer(max_epochs=2, enable_progress_bar=False, num_sanity_val_steps=1)


class Experiment:
    def __init__(self):
        self.trainer = make_trainer()

    @property
    def train(self):
        return self.trainer.fit


def timed(function, *arguments):
    print("running", len(arguments))
    return function(*arguments)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", choices=["validate", "test"], default="validate")
    parser.add_argument("--tests", action="store_true")
    args = parser.parse_args()
    L.seed_everything(5)
    results, models = {}, [Net() for _ in range(5)]

    trainer = make_trainer()
    fit = trainer.fit
    fit(models[0], loader(24, 0), loader(9, 1))
    results["named"] = getattr(trainer, args.stage)(models[0], dataloaders=loader(9, 2))
    others = [make_trainer() for _ in range(2)]
    fits = [each.fit for each in others]
    for each, model in zip(fits, models[1:]):
        each(model, loader(16, 0), loader(9, 1))
    train = partial(make_trainer().fit, models[3], val_dataloaders=loader(6, 1))
    train(train_dataloaders=loader(8, 0))
    timed(Experiment().train, models[4], loader(24, 0), loader(9, 1))
    evaluate = others[1].test if args.tests else others[1].validate
    results["either"] = evaluate(models[2], dataloaders=loader(11, 3))
    results["states"] = [each.state_dict() for each in models]
    torch.save(results, f"main_handed_on.{RANK}.results.pt")


if __name__ == "__main__":
    main()
