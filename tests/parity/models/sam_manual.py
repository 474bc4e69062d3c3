import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SAM(torch.optim.Optimizer):
    """Sharpness-aware: a step up, a step of the optimizer within from there."""

    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups
        self.defaults.update(self.base_optimizer.defaults)

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.norm(torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["old_p"] = p.data.clone()
                p.add_(p.grad * (group["rho"] / (norm + 1e-12)))
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["old_p"]
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        self.first_step(zero_grad=True)
        closure()
        self.second_step()


class Sharp(L.LightningModule):
    """Steps by hand with a closure, and a schedule that is stepped by hand at the epoch's end."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))

    def loss(self, batch):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss_1 = self.loss(batch)
        self.manual_backward(loss_1)

        def closure():
            loss_2 = self.loss(batch)
            self.manual_backward(loss_2)
            return loss_2

        optimizer.step(closure)
        optimizer.zero_grad()
        self.log("loss", loss_1, on_step=True, on_epoch=True)

    def on_train_epoch_end(self):
        self.lr_schedulers().step()

    def configure_optimizers(self):
        optimizer = SAM(self.parameters(), torch.optim.SGD, lr=0.2, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)]

    def train_dataloader(self):
        x = torch.randn(30, 3, generator=torch.Generator().manual_seed(3))
        return DataLoader(TensorDataset(x, (x.prod(1) > 0).long()), batch_size=5, shuffle=True)
