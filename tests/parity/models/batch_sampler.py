import lightning as L
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset


class Growing(BatchSampler):
    """Batches that grow: a batch sampler of the user's own, with the arguments that Lightning asks for."""

    def __init__(self, sampler, batch_size, drop_last):
        super().__init__(sampler, batch_size, drop_last)

    def __iter__(self):
        batch, size = [], 1
        for index in self.sampler:
            batch.append(index)
            if len(batch) == size:
                yield batch
                batch, size = [], min(size + 1, self.batch_size)
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        left, size, batches = len(self.sampler), 1, 0
        while left >= size:
            left, batches, size = left - size, batches + 1, min(size + 1, self.batch_size)
        return batches + (1 if left and not self.drop_last else 0)


class WithBatchSampler(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("rows", float(len(x)), on_step=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Rprop(self.parameters(), lr=0.01)

    def setup(self, stage):
        x = torch.randn(42, 2, generator=torch.Generator().manual_seed(0))
        self.data = TensorDataset(x, x.amin(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(
            self.data, batch_sampler=Growing(RandomSampler(self.data), batch_size=6, drop_last=False)
        )

    def val_dataloader(self):
        # no plain BatchSampler: dealing it out among ranks, Lightning falls back to batches of one
        return DataLoader(self.data, batch_sampler=Growing(SequentialSampler(self.data), 9, drop_last=True))
