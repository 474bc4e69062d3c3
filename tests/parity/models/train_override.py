import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class KeepsEncoderInEval(L.LightningModule):
    """train() overridden, so that a frozen encoder never leaves eval mode."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.5))
        for parameter in self.encoder.parameters():
            parameter.requires_grad = False
        self.head = nn.Sequential(nn.BatchNorm1d(6), nn.Dropout(0.3), nn.Linear(6, 1))
        self.train()

    def train(self, mode: bool = True):
        super().train(mode)
        self.encoder.eval()
        return self

    def training_step(self, batch, batch_idx):
        loss = self.head(self.encoder(batch[0])).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.head(self.encoder(batch[0])).square().mean())

    def on_validation_epoch_end(self):
        self.log("modes", 2.0 * self.encoder.training + self.head.training)

    def configure_optimizers(self):
        return torch.optim.SGD([p for p in self.parameters() if p.requires_grad], lr=0.1)

    def train_dataloader(self):
        x = torch.randn(32, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(8, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x), batch_size=4)
