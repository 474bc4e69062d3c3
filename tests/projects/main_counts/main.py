"""An option says how many batches are read, of streams and rows that may have fewer; a Trainer that only evaluates."""

import argparse
import os

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

RANK = os.environ.get("RANK", "0")


class Draws(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        generator = torch.Generator().manual_seed(5)
        for _ in range(self.count):
            yield torch.randn(3, generator=generator)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(torch.stack([*batch])).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.seen.append(self.trainer.global_step)

    def validation_step(self, batch, batch_idx):
        loss = self.layer(torch.stack([*batch])).square().mean()
        self.seen.append(("validated", self.trainer.global_step, loss.item()))

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]


QUIET = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}


def loader(kind, count):
    if kind == "rows":
        rows = torch.randn(count, 3, generator=torch.Generator().manual_seed(count))
        return DataLoader(TensorDataset(rows), batch_size=4, shuffle=True)
    return DataLoader(Draws(count), batch_size=4)


def train(args, data):
    L.seed_everything(3)
    net = Net()
    trainer = L.Trainer(
        max_epochs=3,
        limit_train_batches=args.train_batches,
        accumulate_grad_batches=args.accumulate,
        **QUIET,
    )
    trainer.fit(net, data, DataLoader(torch.eye(3), batch_size=2))
    return net


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-batches", default=7, type=int)
    parser.add_argument("--accumulate", default=2, type=int)
    args = parser.parse_args()
    seen = [train(args, loader("rows", count)).seen for count in (24, 40, 64)]
    for count in (12, 20, 28, 40):
        net = train(args, loader("draws", count))
        seen.append(net.seen)
    found = L.Trainer(limit_test_batches=2, **QUIET).test(net, DataLoader(Draws(40), batch_size=2))
    torch.save([found, seen], f"main_counts.{RANK}.results.pt")


if __name__ == "__main__":
    main()
