import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Unfreezes(L.LightningModule):
    """A part frozen in the constructor, in eval mode since, and freed at the second epoch."""

    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.4)).eval()
        self.backbone.requires_grad_(False)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(6, 1))

    def on_train_epoch_start(self):
        if self.current_epoch == 1:
            self.backbone.requires_grad_(True)
            self.backbone.train()

    def training_step(self, batch, batch_idx):
        loss = (self.head(self.backbone(batch[0])) - 1).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.head(self.backbone(batch[0])) - 1).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    def loader(self, n):
        return DataLoader(
            TensorDataset(torch.randn(n, 3, generator=torch.Generator().manual_seed(n))), batch_size=4
        )

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(8)
