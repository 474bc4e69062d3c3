import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OneNameManyPlaces(lightning.LightningModule):
    """One name logged from several hooks, by step here and by epoch there: each keeps its own account."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("by_step", loss)
        self.log("twice", loss, on_step=False, on_epoch=True)
        self.log("twice", 2 * loss, on_step=False, on_epoch=True)
        self.log("last", loss)
        self.log("last", -loss)
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("by_step", 10 * outputs["loss"], on_step=False, on_epoch=True)

    def on_train_epoch_end(self):
        self.log("val_loss", 50.0)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("loss", nn.functional.mse_loss(self.net(x), y))
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), on_step=True, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, x[:, :1]), batch_size=5)

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(12)
