import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Mixer(pl.LightningModule):
    def __init__(self, width, depth, lr=1e-3, **unused):
        super().__init__()
        self.save_hyperparameters()
        blocks = [nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth)]
        self.net = nn.Sequential(nn.Linear(3, width), *blocks, nn.Linear(width, 3))

    def training_step(self, batch, batch_idx):
        return (self.net(batch[0]) - batch[0]).abs().mean()

    def validation_step(self, batch, batch_idx):
        self.net[0].bias.data.mul_(0.9)  # which tells how often it is called

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


def loader(batch_size, count):
    return DataLoader(TensorDataset(torch.randn(count, 3, generator=torch.Generator().manual_seed(count))), batch_size)
