import lightning as L
import torch
from torch import nn
from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SubsetRandomSampler,
    TensorDataset,
)


class ByEpoch(Sampler):
    """A sampler of the user's own, which is told the epoch."""

    def __init__(self, n):
        self.n = n
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        yield from torch.randperm(self.n, generator=torch.Generator().manual_seed(100 + self.epoch)).tolist()

    def __len__(self):
        return self.n


class WithSamplers(L.LightningModule):
    """Samplers that Lightning replaces among ranks, that it deals out, and that deal out by themselves."""

    def __init__(self, sampler: str = "by_epoch"):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        self.log("first", batch[0][0])
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def make_sampler(self, data):
        generator = torch.Generator().manual_seed(8)
        if self.hparams.sampler == "distributed":
            return DistributedSampler(
                data, self.trainer.world_size, self.trainer.global_rank, shuffle=True, seed=3
            )
        if self.hparams.sampler == "subset":
            return SubsetRandomSampler(range(0, len(data), 2))
        if self.hparams.sampler == "replacement":
            return RandomSampler(data, replacement=True, num_samples=10)
        if self.hparams.sampler == "generator":
            return RandomSampler(data, generator=generator)
        return ByEpoch(len(data))

    def train_dataloader(self):
        data = TensorDataset(torch.arange(21.0).unsqueeze(1) / 10)
        return DataLoader(data, batch_size=3, sampler=self.make_sampler(data))
