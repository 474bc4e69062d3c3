import lightning.pytorch as pl
import torch

from ..numbers import scaled

RATE = 0.1


class Learner(pl.LightningModule):
    """What all learners have."""

    def training_step(self, batch, batch_idx):
        loss = self._loss(batch)
        self.log("train_loss", loss, on_epoch=True)
        return scaled(loss)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self._loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=RATE)
