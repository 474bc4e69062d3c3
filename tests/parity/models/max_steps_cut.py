import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CutShort(L.LightningModule):
    """max_steps ends an epoch in its middle: no validation, no epoch scheduler, yet the epoch's end."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)
        self.register_buffer("epochs_ended", torch.zeros((), dtype=torch.long))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - batch[0]).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.net(batch[0]) - batch[0]).square().mean())

    def on_train_epoch_end(self):
        self.epochs_ended += 1
        self.log("steps", self.global_step)
        self.log("max_epochs", self.trainer.max_epochs)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.3)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.eye(3).repeat(10, 1)), batch_size=3, shuffle=True)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.eye(3)), batch_size=3)
