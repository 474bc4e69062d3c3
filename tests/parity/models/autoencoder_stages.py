from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from lightning.pytorch import LightningDataModule, LightningModule
from torch import Tensor, nn, optim, utils
from torch.utils.data import random_split


class Pictures(utils.data.Dataset):
    """Bars on small squares, some of them noisy."""

    def __init__(self, count: int, transform=None):
        generator = torch.Generator().manual_seed(count)
        rows = torch.randint(6, (count,), generator=generator)
        self.pictures = F.one_hot(rows, 6).float()[:, :, None].repeat(1, 1, 6)
        self.pictures += 0.1 * torch.randn(count, 6, 6, generator=generator)
        self.transform = transform

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture = self.pictures[index]
        return (self.transform(picture) if self.transform else picture), index % 6


class LitAutoEncoder(LightningModule):
    """An encoder and a decoder; one method serves all stages."""

    def __init__(self, hidden_dim: int = 64, *, lr: float = 1e-3, decoder: Optional[nn.Module] = None) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(36, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, 3))
        self.decoder = decoder or nn.Sequential(nn.Linear(3, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, 36))
        self.lr = lr

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))

    def training_step(self, batch: Tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        return self._common_step(batch, batch_idx, "train")

    def validation_step(self, batch: Tuple[Tensor, Tensor], batch_idx: int) -> None:
        self._common_step(batch, batch_idx, "val")

    def test_step(self, batch: Tuple[Tensor, Tensor], batch_idx: int) -> None:
        self._common_step(batch, batch_idx, "test")

    def predict_step(self, batch, batch_idx: int, dataloader_idx: int = 0):
        return self(self._prepare_batch(batch))

    def configure_optimizers(self):
        optimizer = optim.Adam(self.parameters(), lr=self.lr)
        return optimizer

    def _prepare_batch(self, batch):
        x, _ = batch
        return x.view(x.size(0), -1)

    def _common_step(self, batch, batch_idx: int, stage: str):
        x = self._prepare_batch(batch)
        loss = F.mse_loss(x, self(x))
        self.log(f"{stage}_loss", loss, on_step=stage == "train", on_epoch=stage != "train")
        return loss


class PictureData(LightningDataModule):
    def __init__(self, batch_size: int = 32) -> None:
        super().__init__()
        dataset = Pictures(60, transform=lambda picture: picture.clamp(0, 1))
        self.test_set = Pictures(12)
        self.train_set, self.val_set = random_split(dataset, [48, 12])
        self.batch_size = batch_size

    def train_dataloader(self):
        return utils.data.DataLoader(self.train_set, batch_size=self.batch_size)

    def val_dataloader(self):
        return utils.data.DataLoader(self.val_set, batch_size=self.batch_size)

    def test_dataloader(self):
        return utils.data.DataLoader(self.test_set, batch_size=self.batch_size)

    def predict_dataloader(self):
        return self.test_dataloader()
