import lightning as L
import torch
from torch import nn


class Drift(L.Callback):
    def __init__(self, share=0.01):
        self.share = share

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pl_module.scale *= 1 + self.share * (trainer.current_epoch + 1) / trainer.max_epochs


class Regressor(L.LightningModule):
    def __init__(self, lr, scale, drift: Drift = Drift()):
        super().__init__()
        self.lr, self.scale = lr, scale
        self.drift = drift
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        points, sums = batch
        loss = (self.layer(points) * self.scale - sums).square().mean()
        self.log("loss", loss)
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.drift.on_train_batch_end(self.trainer, self, outputs, batch, batch_idx)

    def validation_step(self, batch, batch_idx):
        points, sums = batch
        self.log("val_loss", (self.layer(points) * self.scale - sums).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Decay(L.Callback):
    def __init__(self, how):
        self.how = how

    def on_train_epoch_end(self, trainer, pl_module):
        pl_module.scale *= self.how.factor
