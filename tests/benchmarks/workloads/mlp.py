"""A multilayer perceptron of about a million parameters."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    """Rows that are fetched a batch at a time, so that loading hides nothing of the loop."""

    def __init__(self, rows: int):
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(rows, 784, generator=generator)
        self.y = torch.randint(10, (rows,), generator=generator)

    def __len__(self):
        return len(self.y)

    def __getitems__(self, indices):
        return self.x[indices], self.y[indices]


def as_it_is(batch):
    return batch


class Mlp(L.LightningModule):
    def __init__(self, rows: int = 2000):
        super().__init__()
        self.rows = rows
        self.net = nn.Sequential(
            nn.Linear(784, 640),
            nn.ReLU(),
            nn.Linear(640, 640),
            nn.ReLU(),
            nn.Linear(640, 128),
            nn.ReLU(),
            nn.Linear(128, 10),
        )

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        loss = F.cross_entropy(logits, y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        self.log("train_acc", (logits.argmax(1) == y).float().mean(), on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)

    def train_dataloader(self):
        return DataLoader(Table(self.rows), batch_size=32, shuffle=True, collate_fn=as_it_is)
