"""A variational autoencoder of handwritten digits."""

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class DigitsVAE(L.LightningModule):
    """Eight by eight pixels, through a few normally distributed numbers, and back."""

    def __init__(
        self,
        hidden: int = 128,
        latent: int = 8,
        lr: float = 2e-3,
        beta: float = 1.0,
        warmup_epochs: int = 5,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(
            nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent)
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, 64)
        )
        self.means: list[torch.Tensor] = []

    @property
    def beta(self) -> float:
        """The weight of the KL term, which grows at first lest the latents collapse."""
        grown = min(1.0, (self.current_epoch + 1) / self.hparams.warmup_epochs)
        return self.hparams.beta * grown

    def forward(self, images):
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        latents = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(latents), mean, log_variance

    def losses(self, images):
        """Reconstruction and KL divergence, in nats per image, and the latents' means."""
        logits, mean, log_variance = self(images)
        reconstruction = F.binary_cross_entropy_with_logits(
            logits, images, reduction="sum"
        )
        kl = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()
        return reconstruction / len(images), kl / len(images), mean

    def training_step(self, batch, batch_idx):
        (images,) = batch
        reconstruction, kl, mean = self.losses(images)
        loss = reconstruction + self.beta * kl
        self.log("train_loss", loss, prog_bar=True)
        self.log_dict(
            {"train_reconstruction": reconstruction, "train_kl": kl},
            on_step=False,
            on_epoch=True,
        )
        return {"loss": loss, "mean": mean.detach()}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.means.append(outputs["mean"])

    def on_train_epoch_end(self):
        """Count the latents in use: those whose mean depends on the image."""
        active = torch.cat(self.means).var(dim=0) > 0.01
        self.log("active_latents", active.sum().float(), prog_bar=True)
        self.log("beta", self.beta)
        self.means.clear()

    def validation_step(self, batch, batch_idx):
        (images,) = batch
        reconstruction, kl, _ = self.losses(images)
        values = {"elbo": -(reconstruction + kl), "kl": kl}
        self.log_dict(
            {f"val_{name}": value for name, value in values.items()},
            sync_dist=True,
            prog_bar=True,
        )

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


class DigitsData(L.LightningDataModule):
    """Scikit-learn's digits, without their labels."""

    def __init__(self, batch_size: int = 32, seed: int = 0):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage=None):
        images = torch.tensor(load_digits().data, dtype=torch.float32) / 16
        generator = torch.Generator().manual_seed(self.seed)
        self.train, self.val = random_split(
            TensorDataset(images), [1500, 297], generator
        )

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=99)
