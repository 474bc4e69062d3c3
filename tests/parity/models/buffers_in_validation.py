import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class BuffersFromValidation(L.LightningModule):
    """Buffers which validation changes on each rank in its own way, and which training uses."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)
        self.register_buffer("scale", torch.ones(()))
        self.register_buffer("offset", torch.zeros(()))

    def training_step(self, batch, batch_idx):
        loss = self.scale * (self.net(batch[0]) - self.offset - 1).square().mean()
        self.log("loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.offset.zero_()

    def validation_step(self, batch, batch_idx):
        error = (self.net(batch[0]) - 1).abs().mean()
        self.offset += 0.1 * error
        self.log("val_error", error + self.offset, sync_dist=True)

    def on_validation_epoch_end(self):
        self.scale += 0.1 * self.offset

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.05)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(24, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )

    def val_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(16, 2, generator=torch.Generator().manual_seed(1))), batch_size=4
        )
