import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset


class Attack:
    """Not a module: it takes gradients of inputs, in validation as well."""

    def __init__(self, model, epsilon, steps):
        self.model, self.epsilon, self.steps = model, epsilon, steps

    @torch.enable_grad()
    def __call__(self, x, y):
        moved = x.detach().clone()
        for _ in range(self.steps):
            moved.requires_grad_()
            (slope,) = torch.autograd.grad(F.cross_entropy(self.model(moved), y), moved)
            moved = (moved + self.epsilon / self.steps * slope.sign()).detach()
        return moved


class Robust(L.LightningModule):
    def __init__(self, epsilon=0.2, steps=2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2))
        self.attack = Attack(self.net, epsilon, steps)

    def training_step(self, batch, batch_idx):
        x, y = batch
        self.net.eval()
        harder = self.attack(x, y)
        self.net.train()
        logits = self.net(torch.cat([x, harder]))
        loss = F.cross_entropy(logits, torch.cat([y, y]))
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        harder = self.attack(x, y)
        clean, robust = (F.cross_entropy(self.net(each), y) for each in (x, harder))
        self.log_dict({"val_clean": clean, "val_robust": robust}, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.ASGD(self.parameters(), lr=0.05)

    def data(self, n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())

    def train_dataloader(self):
        return DataLoader(ConcatDataset([self.data(20), self.data(12)]), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data(16), batch_size=8)
