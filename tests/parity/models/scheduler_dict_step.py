import lightning.pytorch as pl
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class StepwiseDecay(pl.LightningModule):
    """A scheduler per step with a frequency, which Lightning counts in batches, not in optimizer steps."""

    def __init__(self, hidden=12, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(5, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def training_step(self, data, index):
        x, y = data
        loss = (self.layers(x) - y).abs().mean()
        self.log("loss", loss, on_step=True)
        self.log("lr", self.schedule.get_last_lr()[0], on_step=True, prog_bar=False)
        return loss

    def configure_optimizers(self):
        opt = optim.SGD(self.parameters(), lr=self.hparams["lr"], nesterov=True, momentum=0.8)
        self.schedule = optim.lr_scheduler.ExponentialLR(opt, gamma=0.7)
        return {
            "optimizer": opt,
            "lr_scheduler": {"scheduler": self.schedule, "interval": "step", "frequency": 3, "name": "decay"},
        }

    def train_dataloader(self):
        torch.manual_seed(5)
        x = torch.rand(63, 5)
        return DataLoader(
            TensorDataset(x, x.prod(1, keepdim=True)), batch_size=5, shuffle=True, drop_last=True
        )
