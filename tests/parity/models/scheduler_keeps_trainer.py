import lightning.pytorch as pl
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Warmup(optim.lr_scheduler.LRScheduler):
    """Keeps the trainer until there are loaders to ask it for, when its own state must not hold it."""

    def __init__(self, optimizer, trainer, epochs, last_epoch=-1):
        super().__init__(optimizer, last_epoch)
        self._trainer = trainer
        self._epochs = epochs
        self._batches = None

    @property
    def batches(self):
        if self._batches is None:
            self._batches = len(self._trainer.train_dataloader)
            self._epochs = self._epochs if self._trainer.max_epochs > 1 else 1
            self._trainer = None
        return self._batches * self._epochs

    def get_lr(self):
        if self.last_epoch == 0:
            return [base / 10 for base in self.base_lrs]
        return [base * min(1, self.last_epoch / self.batches) for base in self.base_lrs]


class WarmedUp(pl.LightningModule):
    def __init__(self, hidden=12, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(5, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def training_step(self, data, index):
        x, y = data
        loss = (self.layers(x) - y).abs().mean()
        self.log("loss", loss, on_step=True)
        return loss

    def configure_optimizers(self):
        optimizer = optim.SGD(self.parameters(), lr=self.hparams["lr"], momentum=0.8)
        scheduler = Warmup(optimizer, trainer=self.trainer, epochs=2)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    def train_dataloader(self):
        torch.manual_seed(5)
        x = torch.rand(63, 5)
        return DataLoader(TensorDataset(x, x.prod(1, keepdim=True)), batch_size=5, shuffle=True)
