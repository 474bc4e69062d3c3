from typing import Sequence

import lightning as L
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class TwoViews:
    """Makes two of one: each cropped and with noise of its own."""

    def __init__(self, noise: float):
        self.noise = noise

    def __call__(self, x: Tensor) -> Sequence[Tensor]:
        return [self.view(x) for _ in range(2)]

    def view(self, x: Tensor) -> Tensor:
        start = int(torch.randint(0, 3, ()))
        return x[start : start + 8] + self.noise * torch.randn(8)


class Signals(Dataset):
    def __init__(self, count, transform):
        phase = torch.linspace(0, 6, count)
        self.signals = torch.sin(torch.arange(10) * 0.7 + phase[:, None])
        self.transform = transform

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, item):
        return self.transform(self.signals[item]), item


def nt_xent(a: Tensor, b: Tensor, temperature: float) -> Tensor:
    z = F.normalize(torch.cat([a, b]), dim=1)
    similar = z @ z.T / temperature
    similar.fill_diagonal_(-1e9)
    count = len(a)
    return F.cross_entropy(similar, torch.cat([torch.arange(count) + count, torch.arange(count)]).to(z.device))


class SimCLR(L.LightningModule):
    """All ranks' views are told apart, with gradients through the gathering."""

    def __init__(self, dim: int = 6, temperature: float = 0.2):
        super().__init__()
        self.save_hyperparameters("temperature")
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, dim))

    def project(self, x):
        return self.projector(self.encoder(x))

    def training_step(self, batch, batch_idx):
        (first, second), _ = batch
        a, b = self.all_gather((self.project(first), self.project(second)), sync_grads=True)
        loss = nt_xent(a.flatten(0, -2), b.flatten(0, -2), self.hparams.temperature)
        self.log("nt_xent", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        (first, second), _ = batch
        a, b = self.project(first), self.project(second)
        self.log("alignment", F.cosine_similarity(a, b).mean(), sync_dist=True, batch_size=len(first))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=self.trainer.max_epochs)
        return [optimizer], [scheduler]

    def train_dataloader(self):
        return DataLoader(Signals(32, TwoViews(0.1)), batch_size=8, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(Signals(12, TwoViews(0.05)), batch_size=4)
