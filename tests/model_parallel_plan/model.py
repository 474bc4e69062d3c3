"""A model that does not share itself out."""

import lightning as L
import torch
import torch.nn.functional as F
from layers import Layers, samples
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = Layers()

    def training_step(self, batch, batch_idx):
        loss = F.mse_loss(self.layers(batch), batch.flip(1))
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.02)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)]

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def val_dataloader(self):
        return DataLoader(samples(14), batch_size=4)
