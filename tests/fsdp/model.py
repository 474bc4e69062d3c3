"""What is trained in the tests of models whose parameters are shared out."""

import json
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from layers import Block, Layers, Tanh, gradients, samples
from lightning.pytorch.utilities import grad_norm
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    """Calls all layers, and then some of them again."""

    def __init__(self, lr: float = 0.01):
        super().__init__()
        self.save_hyperparameters()
        self.layers = Layers()
        self.told = {}

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = F.mse_loss(self(x), x) + self.layers.last(self.layers.first(x)).pow(2).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", F.mse_loss(self(batch[0]), batch[0]), sync_dist=True)

    def on_train_epoch_end(self):
        self.log("norm", self.layers.last.weight.norm())

    def on_before_optimizer_step(self, optimizer):
        """Counts what this rank has; the states are there from the second step."""
        kinds = {
            "parameters": list(self.parameters()),
            "gradients": gradients(self),
            "states": [each for state in optimizer.state.values() for each in state.values()],
        }
        self.told = {kind: sum(map(size, tensors)) for kind, tensors in kinds.items()}

    def on_train_end(self):
        told = {"bytes": self.told, "calls": Tanh.calls}
        Path(f"told-{self.global_rank}.json").write_text(json.dumps(told))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)]

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def val_dataloader(self):
        return DataLoader(samples(16), batch_size=4)


def size(tensor):
    """Its bytes on this rank."""
    if tensor is None or not tensor.ndim:
        return 0
    local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return local.numel() * local.element_size()


class Watched(Net):
    def on_before_optimizer_step(self, optimizer):
        norms = grad_norm(self, norm_type=2)
        self.log_dict(norms)
        self.log("largest", grad_norm(self.layers.last, "inf")["grad_inf_norm_total"])


class Encoding(Net):
    """Calls methods of blocks beside their `forward`."""

    def forward(self, x):
        layers = self.layers
        hidden = layers.first(x)
        for block in layers.blocks:
            hidden = hidden + block.encode(hidden)
        return layers.fixed(layers.last(hidden))


class Configured(Net):
    def __init__(self):
        super().__init__()
        self.layers = None

    def configure_model(self):
        if self.layers is None:
            self.layers = Layers()


class Momentum(Net):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


class Pair(L.LightningModule):
    """Steps the optimizers of two parts itself; one of them is called twice before a backward."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        torch.manual_seed(3)
        self.painters = nn.ModuleList([nn.Sequential(nn.Linear(15, 31), Block(31), nn.Linear(31, 15))])
        self.judge = nn.Sequential(nn.Linear(15, 31), Tanh(), nn.Linear(31, 1))

    def forward(self, x):
        return self.painters[0](x)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        paints, judges = self.optimizers()
        self.toggle_optimizer(judges)
        losses = F.softplus(-self.judge(x)).mean() + F.softplus(self.judge(self(x).detach())).mean()
        judges.zero_grad()
        self.manual_backward(losses)
        self.clip_gradients(judges, gradient_clip_val=0.01, gradient_clip_algorithm="value")
        judges.step()
        self.untoggle_optimizer(judges)
        self(x)  # what a rank gathers for it may not stay until after the step
        self.toggle_optimizer(paints)
        loss = F.softplus(-self.judge(self(x))).mean()
        paints.zero_grad()
        self.manual_backward(loss)
        self(x)
        paints.step()
        self.untoggle_optimizer(paints)
        self.log("loss", loss)

    def on_train_epoch_end(self):
        self.lr_schedulers().step()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.judge(self(batch[0])).mean(), sync_dist=True)

    def configure_optimizers(self):
        paints = torch.optim.AdamW(self.painters.parameters(), lr=0.01)
        judges = torch.optim.SGD(self.judge.parameters(), lr=0.01, momentum=0.9)
        return [paints, judges], [torch.optim.lr_scheduler.StepLR(paints, 1, 0.9)]

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def val_dataloader(self):
        return DataLoader(samples(16), batch_size=4)
