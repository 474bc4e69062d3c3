import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class NetCLI(LightningCLI):
    def before_instantiate(self):
        self.config.fit.model.width = 5


if __name__ == "__main__":
    NetCLI(Net)
