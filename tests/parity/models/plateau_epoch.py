import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class PlateauOnLoss(L.LightningModule):
    """ReduceLROnPlateau in the usual form, strict, per epoch, on a metric that soon stalls."""

    def __init__(self, lr: float = 1.0, patience: int = 0):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 1)
        )

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), prog_bar=True, sync_dist=True)

    def on_train_epoch_end(self):
        self.log("lr", self.trainer.callback_metrics["val_loss"] * 0 + self.lr_now)

    @property
    def lr_now(self):
        return self.opt.param_groups[0]["lr"]

    def configure_optimizers(self):
        self.opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.opt, mode="min", factor=0.5, patience=self.hparams.patience
        )
        return {
            "optimizer": self.opt,
            "lr_scheduler": {
                "scheduler": scheduler,
                "monitor": "val_loss",
                "interval": "epoch",
                "frequency": 1,
            },
        }

    def setup(self, stage):
        g = torch.Generator().manual_seed(8)
        x = torch.randn(64, 4, generator=g)
        y = torch.randn(64, 1, generator=g)
        self.train_set, self.val_set = TensorDataset(x[:48], y[:48]), TensorDataset(x[48:], y[48:])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=4)
