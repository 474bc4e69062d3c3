import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Small(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.2), nn.Linear(6, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.CyclicLR(optimizer, 0.01, 0.2, step_size_up=2)]


class SplitData(L.LightningDataModule):
    """A loader with a generator of its own, and a split drawn from the global one."""

    def __init__(self, seed: int = 7):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def setup(self, stage):
        x = torch.linspace(-1, 1, 150).view(50, 3)
        self.train, self.val = random_split(TensorDataset(x, x.pow(2).sum(1, keepdim=True)), [0.8, 0.2])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=8, shuffle=True, generator=self.generator)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=5)
