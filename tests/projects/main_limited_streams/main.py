"""How many batches of a stream are read, or which share of rows, that only a run knows."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

RANK = os.environ.get("RANK", "0")


class Drawn(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for _ in range(self.count):
            yield torch.randn(3)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Dropout(), nn.Linear(3, 1))
        self.seen = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(torch.stack([*batch])).square().mean()
        self.seen.append((batch_idx, loss.item()))
        return loss

    def on_train_epoch_end(self):
        self.seen.append((self.trainer.num_training_batches, self.trainer.global_step))

    def validation_step(self, batch, batch_idx):
        self.seen.append(("validated", self.layer(torch.stack([*batch])).square().mean().item()))

    def configure_optimizers(self):
        self.seen.append(self.trainer.estimated_stepping_batches)
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]


def run(limit, data):
    L.seed_everything(3)
    trainer = L.Trainer(
        max_epochs=2,
        limit_train_batches=limit,
        accumulate_grad_batches=2,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    net = Net()
    trainer.fit(net, data, DataLoader(Drawn(4), 2))
    return net.seen


def main():
    rows = TensorDataset(torch.randn(28, 3))
    found = [run(limit, DataLoader(Drawn(20), 4)) for limit in (1.0, None, 0, 3, 4, 5, 9)]
    found += [run(limit, DataLoader(rows, 4, shuffle=True)) for limit in (0.5, 1.0, 2, 3)]
    found.append(run(3, DataLoader(Drawn(20), 4)))
    torch.save(found, f"main_limited_streams.{RANK}.results.pt")


if __name__ == "__main__":
    main()
