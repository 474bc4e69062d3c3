import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CutMix(L.LightningModule):
    """Batches are mixed on the device by a hook, while training alone; targets become soft."""

    def __init__(self, classes: int = 3, alpha: float = 1.0, p: float = 0.7):
        super().__init__()
        self.classes, self.alpha, self.p = classes, alpha, p
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, classes))
        self.register_buffer("weight", torch.tensor([1.0, 2.0, 0.5]), persistent=False)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        x, y = batch
        y = F.one_hot(y, self.classes).float()
        if self.trainer.training and np.random.rand() < self.p:
            lam = float(np.random.beta(self.alpha, self.alpha))
            order = torch.randperm(x.size(0), device=x.device)
            size = int(x.size(-1) * np.sqrt(1 - lam))
            top, left = np.random.randint(0, x.size(-1) - size + 1, 2)
            x = x.clone()
            x[:, :, top : top + size, left : left + size] = x[order, :, top : top + size, left : left + size]
            kept = 1 - size**2 / x.size(-1) ** 2
            y = kept * y + (1 - kept) * y[order]
        return x, y

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y, weight=self.weight, label_smoothing=0.1)
        self.log_dict({"loss": loss, "hardness": y.max(1).values.mean()})
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.net(x), y), on_epoch=True)
        self.log("val_hardness", y.max(1).values.mean())

    def configure_optimizers(self):
        return torch.optim.NAdam(self.parameters(), lr=0.01)

    def loader(self, n):
        x = torch.rand(n, 1, 6, 6, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, torch.arange(n) % self.classes), batch_size=6)

    def train_dataloader(self):
        return self.loader(30)

    def val_dataloader(self):
        return self.loader(12)
