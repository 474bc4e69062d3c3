"""Samplers of one's own that ranks share: what the trainer's loader has in their place, and what they are told."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset, WeightedRandomSampler

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


def rows(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return TensorDataset(x, x.sum(1, keepdim=True))


class InTurn(Sampler):
    """Begins one row further in each epoch."""

    def __init__(self, count):
        self.count, self.epoch = count, 0

    def set_epoch(self, epoch):
        SEEN.append(("told", epoch))
        self.epoch = epoch

    def __iter__(self):
        yield from ((row + self.epoch) % self.count for row in range(self.count))

    def __len__(self):
        return self.count


class Net(L.LightningModule):
    def __init__(self, make_sampler):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.make_sampler = make_sampler

    def training_step(self, batch, batch_idx):
        SEEN.append(batch[0].sum().item())
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_epoch_start(self):
        loader = self.trainer.train_dataloader
        SEEN.append((len(loader.sampler), len(loader), loader.sampler is loader.batch_sampler.sampler))
        if self.trainer.world_size > 1:
            loader.sampler.set_epoch(self.current_epoch + 10)

    def train_dataloader(self):
        return DataLoader(rows(22), 4, sampler=self.make_sampler())


def main():
    L.seed_everything(1)
    weighted = WeightedRandomSampler([1.0] * 22, 22, generator=torch.Generator().manual_seed(3))
    for make_sampler in (lambda: InTurn(22), lambda: weighted):
        trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
        trainer.fit(Net(make_sampler))


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_own_samplers.{RANK}.results.pt")
