import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Independent, Normal, kl_divergence
from torch.utils.data import DataLoader


class AnnealedVAE(L.LightningModule):
    """The weight of the divergence grows with the steps, within each of its cycles."""

    def __init__(self, latent: int = 2, *, cycle: int = 8, ratio: float = 0.5, free_nats: float = 0.01):
        super().__init__()
        self.save_hyperparameters()
        self.encode = nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 2 * latent))
        self.decode = nn.Sequential(nn.Linear(latent, 12), nn.SiLU(), nn.Linear(12, 6))

    @property
    def beta(self) -> float:
        place = (self.global_step % self.hparams.cycle) / self.hparams.cycle
        return min(1.0, place / self.hparams.ratio)

    @property
    def prior(self):
        zeros = torch.zeros(self.hparams.latent, device=self.device)
        return Independent(Normal(zeros, torch.ones_like(zeros)), 1)

    def forward(self, x):
        mean, log_std = self.encode(x).chunk(2, dim=-1)
        posterior = Independent(Normal(mean, log_std.clamp(-5, 3).exp()), 1)
        return self.decode(posterior.rsample()), posterior

    def elbo(self, x):
        decoded, posterior = self(x)
        divergence = kl_divergence(posterior, self.prior.expand(posterior.batch_shape))
        return F.mse_loss(decoded, x, reduction="none").sum(-1), divergence.clamp(min=self.hparams.free_nats)

    def training_step(self, batch, batch_idx):
        reconstruction, divergence = self.elbo(batch)
        loss = (reconstruction + self.beta * divergence).mean()
        self.log("beta", self.beta)
        self.log("train/elbo", -(reconstruction + divergence).mean())
        self.log("train/kl", divergence.mean(), on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        reconstruction, divergence = self.elbo(batch)
        self.log("val/elbo", -(reconstruction + divergence).mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adamax(self.parameters(), lr=0.02)

    def samples(self, n):
        t = torch.rand(n, 1, generator=torch.Generator().manual_seed(n))
        return torch.cat([(t * k).cos() for k in range(1, 7)], dim=1)

    def train_dataloader(self):
        # a tensor is a dataset
        return DataLoader(self.samples(40), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.samples(12), batch_size=8)
