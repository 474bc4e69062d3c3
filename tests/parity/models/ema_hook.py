import copy

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class WithAverage(L.LightningModule):
    """Keeps a moving average of its weights, and validates with that."""

    def __init__(self, decay: float = 0.9):
        super().__init__()
        self.decay = decay
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.average = copy.deepcopy(self.net).requires_grad_(False)
        self.register_buffer("updates", torch.tensor(0))
        self._kept = None

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.net(x) - y).pow(2).mean()
        self.log("loss", loss)
        return loss

    def on_before_zero_grad(self, optimizer):
        # once the optimizer has stepped, before the next backward
        self.updates += 1
        decay = min(self.decay, (1 + self.updates.item()) / (10 + self.updates.item()))
        for mean, value in zip(self.average.parameters(), self.net.parameters()):
            mean.lerp_(value.detach(), 1 - decay)

    def on_validation_epoch_start(self):
        self._kept = {name: value.clone() for name, value in self.net.state_dict().items()}
        self.net.load_state_dict(self.average.state_dict())

    def on_validation_epoch_end(self):
        self.net.load_state_dict(self._kept)
        self._kept = None

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", (self.net(x) - y).pow(2).mean())

    def on_save_checkpoint(self, checkpoint):
        checkpoint["ema_decay"] = self.decay

    def configure_optimizers(self):
        return torch.optim.SGD(self.net.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(self.points(30), batch_size=5, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.points(10), batch_size=5)

    def points(self, n):
        x = torch.rand(n, 3, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x.sum(1, keepdim=True).sin())
