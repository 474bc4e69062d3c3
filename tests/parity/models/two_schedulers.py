import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR, ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


class WarmupThenPlateau(L.LightningModule):
    """Two schedulers on one optimizer: linear warm-up by steps and a plateau by epochs."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Sigmoid(), nn.Linear(16, 1))

    def loss(self, batch):
        x, y = batch
        return nn.functional.smooth_l1_loss(self.net(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log_dict({"train_loss": loss, "lr": self.optimizer.param_groups[0]["lr"]})
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.5)
        warmup = LinearLR(self.optimizer, start_factor=0.1, total_iters=6)
        plateau = ReduceLROnPlateau(self.optimizer, factor=0.2, patience=0, threshold=0.5)
        return [self.optimizer], [
            {"scheduler": warmup, "interval": "step"},
            {"scheduler": plateau, "monitor": "val_loss"},
        ]

    def train_dataloader(self):
        return DataLoader(self.dataset(40), batch_size=10, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(20), batch_size=10)

    def dataset(self, n):
        x = torch.linspace(-1, 1, 3 * n).view(n, 3)
        return TensorDataset(x, torch.sin(4 * x).sum(1, keepdim=True))
