import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Gan(L.LightningModule):
    """Two networks, two optimizers, of which each one's step sees the other's parameters as they are."""

    def __init__(self, latent: int = 3, lr: float = 0.01):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(
            nn.Linear(latent, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)
        )
        self.discriminator = nn.Sequential(
            nn.Linear(2, 8), nn.LeakyReLU(), nn.Dropout(0.1), nn.Linear(8, 1)
        )

    def forward(self, z):
        return self.generator(z)

    def adversarial_loss(self, logits, real):
        return F.binary_cross_entropy_with_logits(
            logits, torch.full_like(logits, float(real))
        )

    def training_step(self, batch, batch_idx):
        (points,) = batch
        if len(points) < 4:
            return  # too few to learn from

        generator_optimizer, discriminator_optimizer = self.optimizers()
        z = torch.randn(len(points), self.hparams.latent, device=self.device)

        self.toggle_optimizer(generator_optimizer)
        loss = self.adversarial_loss(self.discriminator(self(z)), True)
        self.log("g_loss", loss, prog_bar=True)
        generator_optimizer.zero_grad()
        self.manual_backward(loss)
        generator_optimizer.step()
        self.untoggle_optimizer(generator_optimizer)

        with self.toggled_optimizer(discriminator_optimizer):
            real = self.adversarial_loss(self.discriminator(points), True)
            fake = self.adversarial_loss(self.discriminator(self(z).detach()), False)
            loss = (real + fake) / 2
            self.log("d_loss", loss, on_step=True, on_epoch=True)
            discriminator_optimizer.zero_grad()
            self.manual_backward(loss)
            discriminator_optimizer.step()
        self.log("steps", float(self.global_step))

    def validation_step(self, batch, batch_idx):
        (points,) = batch
        self.log("val_real", self.discriminator(points).sigmoid().mean())

    def on_train_epoch_end(self):
        for scheduler in self.lr_schedulers():
            scheduler.step()

    def configure_optimizers(self):
        g = torch.optim.Adam(self.generator.parameters(), lr=self.hparams.lr, betas=(0.5, 0.999))
        d = torch.optim.Adam(self.discriminator.parameters(), lr=self.hparams.lr, betas=(0.5, 0.999))
        steps = [torch.optim.lr_scheduler.StepLR(each, 1, gamma=0.5) for each in (g, d)]
        return [g, d], steps

    def train_dataloader(self):
        points = torch.randn(46, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(points * 0.5 + 1), batch_size=7, shuffle=True)

    def val_dataloader(self):
        points = torch.randn(20, 2, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(points), batch_size=5)
