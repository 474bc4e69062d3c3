import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Sized(IterableDataset):
    """Random rows from the global generator, the same on all ranks, and a length."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for _ in range(self.n):
            yield {"row": torch.randn(4)}

    def __len__(self):
        return self.n


class OnSized(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.2))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch["row"]) - batch["row"]).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.net(batch["row"]) - batch["row"]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(Sized(30), batch_size=4, drop_last=False)

    def val_dataloader(self):
        return DataLoader(Sized(8), batch_size=4)
