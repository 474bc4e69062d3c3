import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset


class Positional(L.LightningModule):
    """DataLoader's arguments by position: batch size, shuffle, sampler."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(1, 1)
        self.data = TensorDataset(torch.arange(24.0).unsqueeze(1) / 10)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        self.log("first", batch[0][0])
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_first", batch[0][0], on_step=True, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)

    def train_dataloader(self):
        return DataLoader(self.data, 3, False, SubsetRandomSampler(range(4, 16)))

    def val_dataloader(self):
        return DataLoader(self.data, 4, True)
