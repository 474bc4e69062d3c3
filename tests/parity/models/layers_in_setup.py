import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sized(L.LightningDataModule):
    features = 0

    def setup(self, stage):
        x = torch.randn(32, 5, generator=torch.Generator().manual_seed(0))
        self.data = TensorDataset(x, x.sum(1, keepdim=True))
        self.features = x.shape[1]
        self.batch_size = 8 // self.trainer.world_size

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=self.batch_size, shuffle=True)


class BuildsInSetup(L.LightningModule):
    """Layers made in setup, when the data module has told their size."""

    def __init__(self, hidden: int = 4):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        features = self.trainer.datamodule.features
        self.net = nn.Sequential(nn.Linear(features, self.hparams.hidden), nn.Dropout(0.2), nn.Linear(4, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)
