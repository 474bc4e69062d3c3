import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class RunningStatistics(L.LightningModule):
    """Nothing is optimized: a pass over the data fills a batch norm's statistics and accumulates gradients."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4, momentum=None)
        self.register_buffer("fisher", torch.zeros(4))

    def training_step(self, batch, batch_idx):
        loss = self.norm(batch[0]).pow(4).mean()
        self.log("kurtosis", loss, on_step=True, on_epoch=True)
        return loss

    def on_after_backward(self):
        self.fisher += self.norm.weight.grad**2

    def configure_optimizers(self):
        return None

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(40, 4, generator=torch.Generator().manual_seed(1))), batch_size=5
        )
