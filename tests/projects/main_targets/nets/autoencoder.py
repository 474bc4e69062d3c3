import lightning as L
import torch
from making import get_obj_from_str, instantiate_from_config
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(L.LightningModule):
    def __init__(self, encoder_config, loss_config, width: int, lr: float = 0.1, optimizer="torch.optim.SGD"):
        super().__init__()
        self.encoder = instantiate_from_config(encoder_config)
        self.decoder = nn.Linear(width, 3)
        self.loss = instantiate_from_config(loss_config)
        self.lr, self.optimizer = lr, optimizer

    def forward(self, x):
        return self.decoder(self.encoder(x))

    def training_step(self, batch, batch_idx):
        loss = self.loss(self(batch[0]), batch[0])
        self.log("train/loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val/loss", self.loss(self(batch[0]), batch[0]), sync_dist=True)

    def configure_optimizers(self):
        return get_obj_from_str(self.optimizer)(self.parameters(), lr=self.lr)


class Points(L.LightningDataModule):
    def __init__(self, batch_size: int, train):
        super().__init__()
        self.batch_size, self.train = batch_size, train

    def setup(self, stage=None):
        self.points = instantiate_from_config(self.train)

    def train_dataloader(self):
        return DataLoader(self.points, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.points, self.batch_size)


class Line(TensorDataset):
    def __init__(self, size: int):
        super().__init__(torch.linspace(-1, 1, 3 * size).view(size, 3))
