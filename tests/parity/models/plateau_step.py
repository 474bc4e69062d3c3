import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


class PlateauOnSteps(L.LightningModule):
    """A plateau checked every second batch on a metric which the first validation brings: strict is off."""

    def __init__(self, width: int = 6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))

    def step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.net(x).squeeze(1), y)

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        # each rank steps its own scheduler: without sync_dist they would drift apart
        self.log("val", self.step(batch), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.2)
        scheduler = ReduceLROnPlateau(optimizer, factor=0.7, patience=1, threshold=0.2)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {
                "scheduler": scheduler,
                "interval": "step",
                "frequency": 2,
                "monitor": "val",
                "strict": False,
            },
        }


class Parabola(L.LightningDataModule):
    def train_dataloader(self):
        return self.loader(60)

    def val_dataloader(self):
        return self.loader(12)

    def loader(self, n):
        x = torch.linspace(-2, 2, 2 * n).reshape(n, 2)
        return DataLoader(TensorDataset(x, (x**2).sum(1)), batch_size=6)
