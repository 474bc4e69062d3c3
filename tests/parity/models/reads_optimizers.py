import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ReadsRates(L.LightningModule):
    """Asks for its optimizer and its scheduler, which Lightning steps."""

    def __init__(self, lr: float = 0.1):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.lr = lr

    def training_step(self, batch, batch_idx):
        x, y = batch
        self.log("lr", self.optimizers().param_groups[0]["lr"])
        self.log("last", self.lr_schedulers().get_last_lr()[0])
        self.log("first", self.trainer.optimizers[0].param_groups[0]["lr"])
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.lr)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3)
