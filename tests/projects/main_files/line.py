import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Line(L.LightningModule):
    def __init__(self, width: int, lr: float):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.layers(x) - y).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


class Points(L.LightningDataModule):
    def __init__(self, batch_size: int):
        super().__init__()
        self.batch_size = batch_size

    def train_dataloader(self):
        x = torch.linspace(-1, 1, 96).view(32, 3)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), self.batch_size, shuffle=True)
