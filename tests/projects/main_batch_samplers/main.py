"""Batch samplers of the project's own, that keep not all of their arguments, in the hooks of all stages."""

import os

import lightning as L
import torch
from batches import Groups
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


def rows(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Buckets(BatchSampler):
    """Rows of like lengths together: batches that the constructor makes, of lengths that it does not keep."""

    def __init__(self, sampler, batch_size, drop_last=False, lengths=None):
        super().__init__(sampler, batch_size, drop_last)
        order = sorted(sampler, key=lambda row: lengths[row])
        self.batches = [order[at : at + batch_size] for at in range(0, len(order), batch_size)]

    def __iter__(self):
        yield from self.batches

    def __len__(self):
        return len(self.batches)


class Sorted(Buckets):
    """A batch sampler that hands on what it is given."""

    def __init__(self, *, key, count, **rest):
        super().__init__(lengths=[key(row) for row in range(count)], **rest)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def see(self, stage, batch):
        SEEN.append((stage, len(batch[0]), batch[0].sum().item()))

    def training_step(self, batch, batch_idx):
        self.see("train", batch)
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        self.see("val", batch)
        self.log("val_loss", nn.functional.mse_loss(self.layer(batch[0]), batch[1]), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.see("test", batch)

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return batch[0].sum(1)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        data = rows(24)
        buckets = Buckets(RandomSampler(data), 4, lengths=[7 * row % 5 for row in range(24)])
        return DataLoader(data, batch_sampler=buckets)

    def val_dataloader(self):
        data = rows(16)
        return DataLoader(data, batch_sampler=Groups(SequentialSampler(data), 2, False))

    def test_dataloader(self):
        data = rows(12)
        batches = Sorted(sampler=SequentialSampler(data), batch_size=2, key=lambda row: -row, count=12)
        return DataLoader(data, batch_sampler=batches)

    def predict_dataloader(self):
        data = rows(22)
        buckets = Buckets(SequentialSampler(data), 4, True, [-row for row in range(22)])
        groups = Groups(SequentialSampler(data), 3, True)
        return [DataLoader(data, batch_sampler=each) for each in (buckets, groups)]


def main():
    L.seed_everything(1)
    net = Net()
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(net)
    trainer.test(net)
    SEEN.append([[each.tolist() for each in of_one] for of_one in trainer.predict(net)])


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_batch_samplers.{RANK}.results.pt")
