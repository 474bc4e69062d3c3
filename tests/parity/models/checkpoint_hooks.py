import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class KeepsState(L.LightningModule):
    """State outside of parameters and buffers that influences training: saved and loaded by the hooks."""

    def __init__(self, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))
        self.history = []
        self.difficulty = 0.0
        self.mean = torch.zeros(4)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        # of the weights, which all ranks share: a checkpoint holds rank 0's state
        self.mean = 0.9 * self.mean + 0.1 * self.net[0].weight.detach().mean(0)
        target = ((x - self.mean) * (1 + self.difficulty)).sum(1, keepdim=True)
        loss = nn.functional.huber_loss(self.net(x), target)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        self.log("val_loss", nn.functional.huber_loss(self.net(x - self.mean), x.sum(1, keepdim=True)))

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            self.history.append(round(self.mean.sum().item(), 4))

    def on_train_epoch_end(self):
        self.difficulty += 0.1 * len(self.history)
        self.log("difficulty", self.difficulty)

    def on_save_checkpoint(self, checkpoint):
        checkpoint["history"] = list(self.history)
        checkpoint["curriculum"] = {"difficulty": self.difficulty, "mean": self.mean}

    def on_load_checkpoint(self, checkpoint):
        self.history = checkpoint["history"]
        self.difficulty = checkpoint["curriculum"]["difficulty"]
        self.mean = checkpoint["curriculum"]["mean"]

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]

    def points(self, n):
        return TensorDataset(torch.randn(n, 4, generator=torch.Generator().manual_seed(n)))

    def train_dataloader(self):
        return DataLoader(self.points(40), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.points(16), batch_size=8)
