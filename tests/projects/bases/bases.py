from abc import abstractmethod

import lightning.pytorch as pl
import torch.nn.functional as F
from samples import samples
from torch.utils.data import DataLoader


class Abstract(pl.LightningModule):
    @abstractmethod
    def loss(self, batch):
        raise NotImplementedError


class LitBase(Abstract):
    def __init__(self, hidden):
        super().__init__()
        self.save_hyperparameters()

    def loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=8)
