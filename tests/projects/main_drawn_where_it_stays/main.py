"""Modules that stay, and that nothing asks for: they draw, and tell a library of what they define."""

import distances  # noqa: F401
import lightning as L
import seeds
import torch
from parts import made
from torch import distributions
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        found = self.layer(batch[0])
        return distributions.kl_divergence(made(found), made(torch.zeros_like(found))).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    data = DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=4)
    L.Trainer(max_epochs=2).fit(Net(), data)


if __name__ == "__main__":
    main()
