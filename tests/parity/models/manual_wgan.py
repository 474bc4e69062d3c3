import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


class WassersteinGan(L.LightningModule):
    """A critic that learns in every batch, with a penalty on gradients, and a generator in every third."""

    def __init__(self, every: int = 3, penalty: float = 10.0):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
        self.critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
        for parameter in self.critic[0].parameters():
            parameter.requires_grad_(False)

    def gradient_penalty(self, real, fake):
        share = torch.rand(len(real), 1, device=self.device)
        mixed = (share * real + (1 - share) * fake).requires_grad_()
        (gradients,) = torch.autograd.grad(self.critic(mixed).sum(), mixed, create_graph=True)
        return (gradients.norm(dim=1) - 1).square().mean()

    def training_step(self, batch, batch_idx):
        (real,) = batch
        generator_optimizer, critic_optimizer = self.optimizers()
        _, cycle = self.lr_schedulers()
        fake = self.generator(torch.randn_like(real))

        self.toggle_optimizer(critic_optimizer)
        critic_optimizer.zero_grad()
        difference = self.critic(fake.detach()).mean() - self.critic(real).mean()
        self.manual_backward(difference, retain_graph=True)
        loss = self.hparams.penalty * self.gradient_penalty(real, fake.detach())
        self.manual_backward(loss)
        critic_optimizer.step()
        cycle.step()
        self.untoggle_optimizer(critic_optimizer)
        self.log_dict({"difference": difference, "penalty": loss}, on_step=True, on_epoch=True, sync_dist=True)

        if batch_idx % self.hparams.every == 0:
            self.toggle_optimizer(generator_optimizer)
            generator_optimizer.zero_grad()
            self.manual_backward(-self.critic(self.generator(torch.randn_like(real))).mean())
            generator_optimizer.step()
            self.untoggle_optimizer(generator_optimizer)
        return {"difference": difference}

    def validation_step(self, batch, batch_idx):
        (real,) = batch
        fake = self.generator(torch.randn_like(real))
        self.log("val_distance", (real.mean(0) - fake.mean(0)).norm(), sync_dist=True)

    def on_validation_epoch_end(self):
        self.log("lr", self.optimizers()[0].param_groups[0]["lr"])

    def on_train_epoch_end(self):
        plateau, _ = self.lr_schedulers()
        plateau.step(self.trainer.callback_metrics["val_distance"])

    def configure_optimizers(self):
        generator = torch.optim.RMSprop(self.generator.parameters(), lr=0.01)
        critic = torch.optim.Adam([p for p in self.critic.parameters() if p.requires_grad], lr=0.01)
        cycle = OneCycleLR(critic, 0.02, total_steps=self.trainer.estimated_stepping_batches)
        return (
            {"optimizer": generator, "lr_scheduler": ReduceLROnPlateau(generator, factor=0.5, patience=0)},
            {"optimizer": critic, "lr_scheduler": {"scheduler": cycle, "interval": "step"}},
        )

    def train_dataloader(self):
        points = torch.randn(56, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(points * 0.5 + 1), batch_size=4, shuffle=True)

    def val_dataloader(self):
        points = torch.randn(18, 2, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(points), batch_size=4)
