import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OverflowsNowAndThen(L.LightningModule):
    """Some batches are so large that their gradients are infinite in half precision, on one of two ranks."""

    def __init__(self, hidden: int = 8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, hidden), nn.Tanh(), nn.Dropout(0.2), nn.Linear(hidden, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("scale", self.trainer.scaler.get_scale())
        state = self.trainer.precision_plugin.state_dict()
        self.log("grown", float(state["_growth_tracker"]))
        self.trainer.precision_plugin.load_state_dict(state)
        return loss

    def on_before_optimizer_step(self, optimizer):
        gradients = [each.grad for each in self.parameters()]
        self.log("infinite", float(any(not each.isfinite().all() for each in gradients)))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.02)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    def train_dataloader(self):
        x = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
        y = x.sum(1, keepdim=True)
        y[[9, 30]] = 2000.0
        return DataLoader(TensorDataset(x, y), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3)
