import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EndsEpochsEarly(L.LightningModule):
    """on_train_batch_start may return -1: the rest of the epoch is skipped, its end is not."""

    def __init__(self, batches: int = 3):
        super().__init__()
        self.batches = batches
        self.net = nn.Linear(2, 1)

    def on_train_batch_start(self, batch, batch_idx):
        if batch_idx >= self.batches + self.current_epoch:
            return -1

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.net(batch[0]) - 1).square().mean())

    def on_train_epoch_end(self):
        self.log("steps", float(self.global_step))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        by_step = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return [optimizer], [
            torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5),
            {"scheduler": by_step, "interval": "step"},
        ]

    def train_dataloader(self):
        x = torch.randn(48, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 2)), batch_size=4)
