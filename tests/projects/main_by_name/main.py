"""Classes and functions that code asks its own module for, by names that a run alone knows."""

import argparse
import os
import sys

import lightning as L
import nets
import sizes
import torch
from nets import make
from torch.utils.data import DataLoader, TensorDataset


class Inputs(L.LightningDataModule):
    def __init__(self, size):
        super().__init__()
        self.rows = getattr(sizes, size).SIZE.rows

    def train_dataloader(self):
        x = torch.randn(self.rows, 4, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=8, shuffle=True)


def train(args):
    L.seed_everything(3)
    data = getattr(sys.modules[__name__], args.data)(args.size)
    first = nets.__dict__[args.first]()
    L.Trainer(max_epochs=1, enable_progress_bar=False, enable_checkpointing=False).fit(first, data)
    second = vars(nets)[args.first]()
    second.load_state_dict(first.state_dict())
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(make(args.model), data)
    third = make("unscheduled")
    L.Trainer(max_epochs=1, enable_progress_bar=False, enable_checkpointing=False).fit(third, data)
    torch.save([second.state_dict(), third.state_dict()], f"main_by_name.{os.environ.get('RANK', '0')}.results.pt")


def describe(args):
    print(make(args.model))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="train")
    parser.add_argument("--model", default="Wide")
    parser.add_argument("--first", default="narrow")
    parser.add_argument("--data", default="Inputs")
    parser.add_argument("--size", default="many")
    args = parser.parse_args()
    command = globals()[args.command]
    command(args)
