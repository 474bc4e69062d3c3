import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EndsEpochsOnPlateau(L.LightningModule):
    """An epoch whose rest is skipped counts for a scheduler that watches a metric, one that is left does not."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def on_train_batch_start(self, batch, batch_idx):
        if batch_idx >= 2 and self.current_epoch == 1:
            return -1

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=0)
        return {"optimizer": optimizer, "lr_scheduler": scheduler, "monitor": "loss"}

    def train_dataloader(self):
        x = torch.randn(32, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
