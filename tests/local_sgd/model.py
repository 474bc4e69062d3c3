"""The same as a LightningModule."""

import lightning as L
from layers import layers, loss_of, optimizer_for, samples
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = layers()

    def training_step(self, batch, batch_idx):
        return loss_of(self.layers, batch[0])

    def configure_optimizers(self):
        return optimizer_for(self.parameters())

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)
