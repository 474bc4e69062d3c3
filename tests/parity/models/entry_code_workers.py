import random
from typing import TYPE_CHECKING

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

if TYPE_CHECKING:
    from torch import Tensor


class Jittered(Dataset):
    def __init__(self, n: int):
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> "Tensor":
        return torch.tensor([index / self.n, random.random()]) + 0.1 * torch.randn(2)


class Model(L.LightningModule):
    """Seeded without workers=True: the loader's workers get torch's own seeds."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(Jittered(24), batch_size=4, shuffle=True, num_workers=2)


if __name__ == "__main__":
    L.seed_everything(11)
    trainer = L.Trainer(max_epochs=2, log_every_n_steps=1)
    trainer.fit(Model())
