import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric


class OneNameTwoHooks(lightning.LightningModule):
    """One name logged for a batch and between batches: of the two values that counts which began later (9.2)."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.mean = MeanMetric()
        self.count = 0

    def on_train_epoch_start(self):
        self.log("seen", 100.0)
        self.log("loss", -1.0)
        if self.current_epoch > 0:  # begun after the steps', so that it counts before and after them
            self.log("begun_late", 7.0)
            self.log("begun_late_twofold", 8.0)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("seen", float(batch_idx), on_epoch=True, on_step=False, reduce_fx="sum")
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("late", loss, on_step=True, on_epoch=True)
        self.log("begun_late", loss, on_step=False, on_epoch=True)
        self.log("begun_late_twofold", loss, on_step=True, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.log("late", self.trainer.callback_metrics["late"] + 1)

    def on_validation_epoch_start(self):
        self.count = 0
        self.log("correct", 1000, reduce_fx="sum")

    def validation_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.count += 1
        self.mean.update(loss)
        self.log("correct", (self.net(x) > y).sum(), sync_dist=True, reduce_fx="sum")
        self.log("metric", self.mean)
        self.log("val_loss", loss, prog_bar=True)

    def on_validation_epoch_end(self):
        self.log("val_loss", self.mean.compute() + 2, prog_bar=True)
        if self.current_epoch % 2:
            self.log("metric", float(self.count), reduce_fx="max")

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "metric"}}

    def loader(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, x[:, :1]), batch_size=5)

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(12)
