"""A stream of which an option says how many batches are read, and a Trainer beside that only evaluates."""

import argparse
import os

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset

RANK = os.environ.get("RANK", "0")


class Draws(IterableDataset):
    def __iter__(self):
        generator = torch.Generator().manual_seed(5)
        while True:
            yield torch.randn(3, generator=generator)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.seen.append(self.trainer.global_step)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-batches", default=7, type=int)
    parser.add_argument("--accumulate", default=2, type=int)
    args = parser.parse_args()
    L.seed_everything(3)
    net = Net()
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    trainer = L.Trainer(
        max_epochs=3,
        limit_train_batches=args.train_batches,
        accumulate_grad_batches=args.accumulate,
        **quiet,
    )
    trainer.fit(net, DataLoader(Draws(), batch_size=4))
    found = L.Trainer(limit_test_batches=2, **quiet).test(net, DataLoader(Draws(), batch_size=2))
    torch.save([found, net.seen], f"main_counts.{RANK}.results.pt")


if __name__ == "__main__":
    main()
