import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EpochsAsSteps(L.LightningModule):
    """The known trick: a metric named `step` becomes the logger's step, here the epoch."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.log("step", float(self.current_epoch))

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.net(batch[0]).square().mean())
        self.log_dict({"epoch": self.current_epoch + 100.0})

    def on_validation_epoch_end(self):
        self.log("step", self.current_epoch + 1.0)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(16, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )

    def val_dataloader(self):
        return self.train_dataloader()
