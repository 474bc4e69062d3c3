import lightning as L
import torch
from torch import nn
from torch.optim import SGD, Optimizer
from torch.utils.data import DataLoader, TensorDataset


class Extragradient(Optimizer):
    """An optimizer of the user's own that moves the weights before it asks for the gradients."""

    def __init__(self, params, lr=0.1, ahead=0.05):
        super().__init__(params, {"lr": lr, "ahead": ahead})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if "velocity" in self.state[p]:
                    p.add_(self.state[p]["velocity"], alpha=group["ahead"])
        with torch.enable_grad():
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    velocity = self.state[p].get("velocity", torch.zeros_like(p))
                    self.state[p]["velocity"] = 0.8 * velocity - group["lr"] * p.grad
                    p.add_(self.state[p]["velocity"])
        return loss


class Jitter:
    def __call__(self, optimizer, args, kwargs):
        with torch.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    p.mul_(0.99)


class WithOwnOptimizer(L.LightningModule):
    """In Lightning forward and backward run within optimizer.step()."""

    def __init__(self, kind: str = "own"):
        super().__init__()
        self.kind = kind
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        if self.kind == "own":
            return Extragradient(self.parameters())
        optimizer = SGD(self.parameters(), lr=0.1)
        optimizer.register_step_pre_hook(Jitter())
        return optimizer

    def train_dataloader(self):
        x = torch.randn(32, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
