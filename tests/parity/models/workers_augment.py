import random

import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Augmented(Dataset):
    """Every read draws from torch, numpy and Python: the workers' seeds matter."""

    def __init__(self, n):
        self.x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        x = self.x[index] + 0.1 * torch.randn(4)
        x = x * (1 + 0.1 * random.random())
        if np.random.rand() < 0.5:
            x = x.flip(0)
        return {"x": x, "target": self.x[index].sum()}


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**31 + 7 * worker_id
    np.random.seed(seed)
    random.seed(seed)


class OnAugmented(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 1)
        )

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.net(batch["x"]).squeeze(1), batch["target"])
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.mse_loss(self.net(batch["x"]).squeeze(1), batch["target"]))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.02)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=4)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class AugmentedData(L.LightningDataModule):
    def __init__(self, num_workers: int = 2, persistent: bool = False, own_seeds: bool = False):
        super().__init__()
        self.options = {"num_workers": num_workers, "persistent_workers": persistent}
        if own_seeds:
            self.options["worker_init_fn"] = seed_worker

    def setup(self, stage):
        self.train, self.val = Augmented(40), Augmented(12)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=5, shuffle=True, **self.options)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=6, num_workers=1)
