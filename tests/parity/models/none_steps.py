import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SkipsBatches(L.LightningModule):
    """training_step returns None for some batches: no backward, but a step, a scheduler step and the hooks."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)
        self.empty_outputs = 0

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("seen", loss)
        if batch_idx % 3 == 1:
            return None
        self.log("loss", loss, on_step=True, on_epoch=True)
        if batch_idx % 3 == 2:
            return {"loss": loss, "batch": batch_idx}
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        if not outputs:
            self.empty_outputs += 1
        self.log("empty_outputs", float(self.empty_outputs))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.2, momentum=0.5)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]

    def train_dataloader(self):
        x = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)
