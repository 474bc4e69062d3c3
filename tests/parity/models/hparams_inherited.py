from __future__ import annotations

from argparse import Namespace

import torch
from lightning import LightningModule as Base
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Squares(Base):
    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.net(x).square().mean()
        self.log("loss", loss)
        return loss

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 3, generator=torch.Generator().manual_seed(0))), batch_size=4
        )


class Task(Squares):
    """Saves hyperparameters for its subclasses too: Lightning collects the arguments of all constructors."""

    def __init__(self, lr: float = 0.1, betas: tuple[float, float] = (0.9, 0.99)):
        super().__init__()
        self.save_hyperparameters()
        self.losses: list[float] = []

    def configure_optimizers(self):
        args = Namespace(**self.hparams)
        scale = getattr(self.hparams, "scale", 0.5) if hasattr(self.hparams, "depth") else 1.0
        extra = self.hparams.get("weight_decay", 0.0)
        return torch.optim.Adam(self.parameters(), lr=args.lr * scale, betas=args.betas, weight_decay=extra)


class Deep(Task):
    def __init__(self, depth: int = 2, activation: str = "relu", **kwargs):
        super().__init__(**kwargs)
        self.save_hyperparameters({"derived": depth * 2})
        layers = [nn.Linear(3, 3) if i % 2 == 0 else nn.ReLU() for i in range(self.hparams.depth)]
        self.net = nn.Sequential(*layers)


class Adjusted(Squares):
    """Arguments changed before they are saved: what is saved is what they are then."""

    def __init__(self, width: int = 3, lr: float | None = None, options: dict | None = None):
        super().__init__()
        width = max(width, 3)
        lr = 0.01 if lr is None else lr
        options = options or {"momentum": 0.5}
        self.save_hyperparameters()
        options["nesterov"] = True
        self.hparams.update(note=f"{width} wide")
        self.net = nn.Linear(3, self.hparams.width)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.hparams.lr, **self.hparams.options)


class Renewed(Task):
    """Saved again with other values, in a helper."""

    def __init__(self, lr: float = 0.1, net: nn.Module | None = None, frozen: bool = False):
        super().__init__(lr)
        self.net = net or nn.Linear(3, 1)
        self.remember(lr)

    def remember(self, lr):
        self.hparams["lr"] = min(lr, 0.2)
        self.hparams.setdefault("weight_decay", 0.01)


class Scaled(Task):
    """Saved by the base and again, with what a class below has been given in the place of the same names."""

    def __init__(self, scale: float = 0.5, lr: float = 0.1):
        super().__init__(lr=lr * 2)
        self.save_hyperparameters()
        self.net = nn.Linear(3, 1)


class Halved(Scaled):
    def __init__(self, scale: float = 1.0, lr: float = 0.05):
        super().__init__(scale / 2, lr=lr)


class Early(Task):
    """Saved before the base is, which saves as well."""

    def __init__(self, lr: float = 0.1, width: int = 1):
        self.save_hyperparameters()
        super().__init__(lr=lr * 2)
        self.net = nn.Linear(3, self.hparams.width)
