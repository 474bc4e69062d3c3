import lightning as L
import torch
from torch import Tensor, nn
from torch.distributions import MultivariateNormal
from torch.utils.data import DataLoader


class Coupling(nn.Module):
    """Half of the numbers decide how the others are scaled and moved."""

    def __init__(self, dim: int, flip: bool):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(dim // 2, 8), nn.Tanh(), nn.Linear(8, dim))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        a, b = x.chunk(2, dim=1)
        a, b = (b, a) if self.flip else (a, b)
        scale, shift = self.net(a).chunk(2, dim=1)
        scale = scale.tanh()
        b = b * scale.exp() + shift
        return torch.cat((b, a) if self.flip else (a, b), dim=1), scale.sum(1)


class RealNVP(L.LightningModule):
    """A class made of a function's result; densities are summed, not averaged, and reported per dimension."""

    def __init__(self, dim: int = 4, layers: int = 4) -> None:
        super().__init__()
        self.dim = dim
        self.layers = nn.ModuleList(Coupling(dim, flip=bool(i % 2)) for i in range(layers))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("cov", torch.eye(dim))

    def log_prob(self, x: Tensor) -> Tensor:
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, log_det = layer(x)
            total += log_det
        return total + MultivariateNormal(self.mean, self.cov).log_prob(x)

    def training_step(self, batch: Tensor) -> Tensor:
        nll = -self.log_prob(batch)
        self.log("bits", nll.mean() / self.dim, on_step=False, on_epoch=True, reduce_fx="mean")
        self.log("worst", nll.max(), on_step=False, on_epoch=True, reduce_fx="max")
        self.log("total", nll.sum(), on_step=False, on_epoch=True, reduce_fx=torch.sum)
        return nll.sum()

    def validation_step(self, batch: Tensor) -> None:
        self.log("val_bits", -self.log_prob(batch).mean() / self.dim)

    def configure_gradient_clipping(self, optimizer, gradient_clip_val, gradient_clip_algorithm):
        norm = torch.nn.utils.clip_grad_norm_(self.parameters(), gradient_clip_val or 5.0)
        self.log("grad_norm", norm)

    def configure_optimizers(self):
        return torch.optim.Rprop(self.parameters(), lr=0.001)

    def spiral(self, n: int) -> Tensor:
        t = torch.rand(n, generator=torch.Generator().manual_seed(n)) * 6
        return torch.stack([t * t.cos(), t * t.sin(), t, t.sqrt()], dim=1) / 6

    def train_dataloader(self):
        return DataLoader(self.spiral(40), batch_size=10, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(self.spiral(12), batch_size=12)]
