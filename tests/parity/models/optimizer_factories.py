import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_optimizers(parameters, lr, kind):
    """A factory outside the class, as libraries have them."""
    optimizer = torch.optim.SGD(parameters, lr=lr)
    if kind == "plateau":
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.5)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}
    return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]


class Base(L.LightningModule):
    def __init__(self, lr: float = 0.1, kind: str = "plateau"):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        self.log("val_loss", loss, on_step=False, on_epoch=True)
        return loss

    def train_dataloader(self):
        x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)


class FromFunction(Base):
    def configure_optimizers(self):
        return make_optimizers(self.parameters(), self.hparams.lr, self.hparams.kind)


class InBase(Base):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), self.hparams.lr)
        if self.hparams.kind != "plateau":
            return optimizer
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.5)
        return {"optimizer": optimizer, "lr_scheduler": scheduler, "monitor": "val_loss"}


class Leaf(InBase):
    """All about optimizers stands in its base."""


class ByName(Base):
    """Any of torch's optimizers, by its name."""

    def configure_optimizers(self):
        cls = getattr(torch.optim, self.hparams.kind)
        return cls(self.parameters(), lr=self.hparams.lr)
