import lightning as L
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader


class Denoiser(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        self.time = nn.Embedding(steps, 8)
        self.net = nn.Sequential(nn.Linear(dim + 8, 16), nn.SiLU(), nn.Linear(16, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], dim=-1))


class Schedule:
    """Tensors that are no buffers: they stay where they were made."""

    def __init__(self, steps):
        self.betas = torch.linspace(1e-3, 0.2, steps)
        self.kept = torch.cumprod(1 - self.betas, 0)

    def noised(self, x, t, noise):
        kept = self.kept.to(x.device)[t][:, None]
        return kept.sqrt() * x + (1 - kept).sqrt() * noise


class Diffusion(L.LightningModule):
    """torch's own average of weights, updated after each batch; validation draws samples by it."""

    def __init__(self, steps: int = 10, lr: float = 0.01):
        super().__init__()
        self.steps, self.lr = steps, lr
        self.model = Denoiser(2, steps)
        self.ema = AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(0.95)).requires_grad_(False)
        self.schedule = Schedule(steps)

    def training_step(self, x, batch_idx):
        t = torch.randint(self.steps, (x.size(0),), device=self.device)
        noise = torch.randn_like(x)
        predicted = self.model(self.schedule.noised(x, t, noise), t)
        loss = nn.functional.mse_loss(predicted, noise)
        self.log("loss", loss)
        return loss

    def on_train_batch_end(self, *_):
        self.ema.update_parameters(self.model)

    @torch.no_grad()
    def sample(self, count):
        x = torch.randn(count, 2, device=self.device)
        for step in reversed(range(self.steps)):
            beta, kept = self.schedule.betas[step], self.schedule.kept[step]
            predicted = self.ema(x, torch.full((count,), step, device=self.device))
            x = (x - beta / (1 - kept).sqrt() * predicted) / (1 - beta).sqrt()
            if step:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x

    def validation_step(self, x, batch_idx):
        drawn = self.sample(len(x))
        self.log("distance", (drawn.mean(0) - x.mean(0)).norm())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr)
        warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": warmup, "interval": "step"}}

    def ring(self, n):
        angle = torch.linspace(0, 6.28, n)
        return torch.stack([angle.cos(), angle.sin()], dim=1)

    def train_dataloader(self):
        return DataLoader(self.ring(32), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.ring(8), batch_size=8)
