"""A model so small that a step is nothing but overhead."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    """Rows that are fetched a batch at a time, so that loading hides nothing of the loop."""

    def __init__(self, rows: int):
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(rows, 16, generator=generator)
        self.y = torch.randint(4, (rows,), generator=generator)

    def __len__(self):
        return len(self.y)

    def __getitems__(self, indices):
        return self.x[indices], self.y[indices]


def as_it_is(batch):
    return batch


class Tiny(L.LightningModule):
    def __init__(self, rows: int = 8000):
        super().__init__()
        self.rows = rows
        self.net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)

    def train_dataloader(self):
        return DataLoader(Table(self.rows), batch_size=16, shuffle=True, collate_fn=as_it_is)
