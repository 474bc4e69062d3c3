import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def train(model):
    L.Trainer(max_epochs=1).fit(model, DataLoader(TensorDataset(torch.rand(4, 2))))


train(Net())

import numpy.polynomial
import scipy.stats


class Wide(Net):
    scale = scipy.stats.norm.pdf(0)


train(Wide())
