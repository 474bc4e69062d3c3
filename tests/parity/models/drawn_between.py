import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Drawn(IterableDataset):
    """Batches of which nobody knows the number, each with noise that is drawn as it is read."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for _ in range(self.count):
            x = torch.randn(4)
            yield x, x.sum(0, keepdim=True)


class DrawsBetween(L.LightningModule):
    """Hooks draw random numbers, too: which ones tells what has been read before."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.2), nn.Linear(4, 1))

    def on_train_start(self):
        drawn = torch.rand(())
        if self.current_epoch == 0:  # also where a run goes on
            self.log("at_start", drawn)

    def on_train_epoch_start(self):
        self.log("at_epoch_start", torch.rand(()))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def on_validation_start(self):
        self.noise = torch.rand(())

    def on_validation_epoch_start(self):
        self.log("val_noise", self.noise + torch.rand(()))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        noise = torch.randn(1)
        self.log("val_loss", nn.functional.mse_loss(self.layer(x) + noise, y))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return DataLoader(Drawn(24), batch_size=4)

    def val_dataloader(self):
        x = torch.randn(10, 4)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
