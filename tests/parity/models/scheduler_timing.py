import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ShowsTheRate(L.LightningModule):
    """The learning rate as each hook sees it: before or after the scheduler's step."""

    def __init__(self, interval: str = "epoch"):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(2, 1)

    def rate(self):
        return self.scheduler.get_last_lr()[0]

    def training_step(self, batch, batch_idx):
        self.log("in_step", self.rate())
        return (self.net(batch[0]) - 1).square().mean()

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("after_batch", self.rate())

    def on_validation_start(self):
        self.log("in_validation", self.rate())

    def validation_step(self, batch, batch_idx):
        return None

    def on_train_epoch_end(self):
        self.log("after_epoch", self.rate())

    def on_train_epoch_start(self):
        self.log("before_epoch", self.rate())

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), 0.1)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        config = {"scheduler": self.scheduler, "interval": self.hparams.interval}
        return {"optimizer": optimizer, "lr_scheduler": config}

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )

    def val_dataloader(self):
        return self.train_dataloader()
