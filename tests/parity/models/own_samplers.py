import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, Sampler, TensorDataset


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
    """Samplers of both kinds: one that Lightning deals out among ranks, and one that does so itself."""

    def __init__(self, deals_out: bool = False):
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

    def train_dataloader(self):
        data = TensorDataset(torch.arange(21.0).unsqueeze(1) / 10)
        if self.hparams.deals_out:
            sampler = DistributedSampler(data, self.trainer.world_size, self.trainer.global_rank, shuffle=True, seed=3)
        else:
            sampler = ByEpoch(len(data))
        return DataLoader(data, batch_size=3, sampler=sampler)
