"""An experiment that is called, of a class derived from the one that makes the Trainer."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.layers(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Experiment:
    hidden = 4

    def __init__(self, epochs):
        self.epochs = epochs
        self.prepare()

    def prepare(self):
        L.seed_everything(3)
        self.trainer = L.Trainer(max_epochs=self.epochs)
        self.model = Net(self.hidden)

    def loader(self):
        x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
        return DataLoader(TensorDataset(x, torch.arange(32) % 3), batch_size=8)

    def __call__(self):
        self.trainer.fit(self.model, self.loader())
        return self.trainer.global_step


class Wider(Experiment):
    hidden = 12


if __name__ == "__main__":
    print(Wider(2)())
