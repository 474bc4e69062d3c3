"""A model that asks for values: when it is made, and in its step."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width=100):
        super().__init__()
        self.automatic_optimization = False
        rates = [rate.item() for rate in torch.linspace(0, 0.1, 2)]
        self.layers = nn.Sequential(nn.Linear(4, width), nn.Dropout(rates[1]), nn.Linear(width, 1))

    def prepare_data(self):
        """The ranks wait for each other until that is done."""

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss = self.layers(batch[0]).mean()
        optimizer.zero_grad()
        self.manual_backward(loss)
        if loss.item() < 3:
            optimizer.step()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(16, 4)), batch_size=4)
