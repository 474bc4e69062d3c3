import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Noise(IterableDataset):
    """Drawn from the global generator as it goes, of a length that nobody knows."""

    def __init__(self, n: int):
        self.n = n

    def __iter__(self):
        for _ in range(self.n):
            yield torch.randn(3)


class OnNoise(L.LightningModule):
    """Dropout draws from the same generator: it matters when Lightning looks one batch ahead."""

    def __init__(self, workers: int = 0):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.net(batch), batch)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        noisy = nn.functional.dropout(batch, 0.3, training=True)
        self.log("val_loss", nn.functional.mse_loss(self.net(noisy), batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(Noise(26), batch_size=4, num_workers=self.hparams.workers)

    def val_dataloader(self):
        return DataLoader(Noise(8), batch_size=4)
