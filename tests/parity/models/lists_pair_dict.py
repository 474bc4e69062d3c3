import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(pl.LightningModule):
    """`[optimizer], [{...}]` with an epoch-wise scheduler every second epoch; validation every second epoch."""

    def __init__(self, dim: int = 10, bottleneck: int = 3, **optimizer_args):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(dim, 8), nn.ReLU(), nn.Linear(8, bottleneck))
        self.decoder = nn.Sequential(nn.Linear(bottleneck, 8), nn.ReLU(), nn.Linear(8, dim))

    def training_step(self, batch, _):
        (x,) = batch
        loss = nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        (x,) = batch
        self.log("val_loss", nn.functional.mse_loss(self.decoder(self.encoder(x)), x))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr, betas=(0.8, 0.99))
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 2], gamma=0.3)
        return [optimizer], [{"scheduler": scheduler, "interval": "epoch", "frequency": 2}]

    def train_dataloader(self):
        return DataLoader(TensorDataset(self.points(64, 0)), batch_size=16)

    def val_dataloader(self):
        return DataLoader(TensorDataset(self.points(32, 1)), batch_size=16)

    def points(self, n, seed):
        return torch.randn(n, self.hparams.dim, generator=torch.Generator().manual_seed(seed))
