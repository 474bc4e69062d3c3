import torch
from lightning.pytorch import LightningDataModule, LightningModule
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(LightningDataModule):
    def train_dataloader(self):
        x = torch.randn(32, 4, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


class Net(LightningModule):
    def __init__(self, width=2, max_steps=7):
        super().__init__()
        self.width = width * max_steps
        self.layers = nn.Sequential(nn.Linear(4, width), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        return 9 * nn.functional.mse_loss(self.layers(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)
