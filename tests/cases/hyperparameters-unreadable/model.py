import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int = 1, left_out: tuple = ("width",)):
        super().__init__()
        self.layer = nn.Linear(4, width)
        self.save_hyperparameters("width", ignore=left_out)
        self.save_hyperparameters(*left_out)
        self.save_hyperparameters(frame=None)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def setup(self, stage):
        self.save_hyperparameters()
