import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StaleMonitor(L.LightningModule):
    """Validation in every second epoch alone: between them the plateau sees the last value once more."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        self.log("lr", self.scheduler.optimizer.param_groups[0]["lr"])
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val/error", (self.net(batch[0]).argmax(1) != batch[1]).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.4)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
        config = {"scheduler": self.scheduler, "monitor": "val/error", "strict": False}
        return {"optimizer": optimizer, "lr_scheduler": config}

    def dataset(self):
        x = torch.randn(24, 2, generator=torch.Generator().manual_seed(0))
        return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())

    def train_dataloader(self):
        return DataLoader(self.dataset(), batch_size=6)

    def val_dataloader(self):
        return DataLoader(self.dataset(), batch_size=6)
