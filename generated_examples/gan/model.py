"""A small GAN that learns to draw points on a ring."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def ring(count: int, seed: int) -> torch.Tensor:
    """Points near a circle of radius one."""
    generator = torch.Generator().manual_seed(seed)
    angles = 2 * torch.pi * torch.rand(count, generator=generator)
    radii = 1 + 0.05 * torch.randn(count, generator=generator)
    return torch.stack([radii * angles.cos(), radii * angles.sin()], dim=1)


class RingGAN(L.LightningModule):
    """A generator and a discriminator, each with an optimizer of its own."""

    def __init__(self, latent: int = 4, hidden: int = 64, lr: float = 2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(
            nn.Linear(latent, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 2),
        )
        self.discriminator = nn.Sequential(
            nn.Linear(2, hidden),
            nn.LeakyReLU(0.2),
            nn.Linear(hidden, hidden),
            nn.LeakyReLU(0.2),
            nn.Linear(hidden, 1),
        )

    def forward(self, latents):
        return self.generator(latents)

    def draw(self, count: int) -> torch.Tensor:
        return self(torch.randn(count, self.hparams.latent, device=self.device))

    def training_step(self, batch, batch_idx):
        (real,) = batch
        generator_optimizer, discriminator_optimizer = self.optimizers()

        self.toggle_optimizer(discriminator_optimizer)
        fake = self.draw(len(real)).detach()
        loss = F.softplus(-self.discriminator(real)).mean()
        loss = loss + F.softplus(self.discriminator(fake)).mean()
        self.log("discriminator_loss", loss, prog_bar=True)
        discriminator_optimizer.zero_grad()
        self.manual_backward(loss)
        discriminator_optimizer.step()
        self.untoggle_optimizer(discriminator_optimizer)

        self.toggle_optimizer(generator_optimizer)
        loss = F.softplus(-self.discriminator(self.draw(len(real)))).mean()
        self.log("generator_loss", loss, prog_bar=True)
        generator_optimizer.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(generator_optimizer, gradient_clip_val=1.0)
        generator_optimizer.step()
        self.untoggle_optimizer(generator_optimizer)

    def on_train_epoch_end(self):
        for scheduler in self.lr_schedulers():
            scheduler.step()

    def validation_step(self, batch, batch_idx):
        """How far the points drawn are from the ring, and how much closer to some of its points than to others."""
        (real,) = batch
        fake = self.draw(len(real))
        between = torch.cdist(fake, real).mean()
        within = (torch.cdist(fake, fake).mean() + torch.cdist(real, real).mean()) / 2
        self.log("val_distance", between - within, sync_dist=True, prog_bar=True)

    def configure_optimizers(self):
        networks = self.generator, self.discriminator
        optimizers = [
            torch.optim.Adam(network.parameters(), lr=self.hparams.lr, betas=(0.5, 0.9))
            for network in networks
        ]
        schedulers = [
            torch.optim.lr_scheduler.ExponentialLR(each, gamma=0.95)
            for each in optimizers
        ]
        return optimizers, schedulers

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(ring(4096, seed=0)), batch_size=64, shuffle=True
        )

    def val_dataloader(self):
        return DataLoader(TensorDataset(ring(512, seed=1)), batch_size=256)
