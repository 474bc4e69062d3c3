import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class DropoutInValidation(L.LightningModule):
    """Validation draws random numbers too, so every validation shifts the training's random stream."""

    def __init__(self, width: int = 8):
        super().__init__()
        self.inner = nn.Linear(4, width)
        self.outer = nn.Linear(width, 1)

    def forward(self, x):
        # functional and always on: Monte Carlo dropout
        return self.outer(nn.functional.dropout(self.inner(x).relu(), 0.4, training=True))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.l1_loss(self(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        samples = torch.stack([self(x) for _ in range(3)])
        self.log("val_loss", nn.functional.l1_loss(samples.mean(0), y), batch_size=len(x))
        self.log("val_spread", samples.std(0).mean(), on_step=True, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.NAdam(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return DataLoader(self.dataset(72), batch_size=6, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(24), batch_size=4)

    @staticmethod
    def dataset(n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x.norm(dim=1, keepdim=True))
