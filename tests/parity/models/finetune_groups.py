from itertools import chain

import lightning as L
import torch
from lightning.pytorch.utilities.types import OptimizerLRSchedulerConfig
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Subset, TensorDataset


class Pretrained(nn.Module):
    """Stands for weights out of a file."""

    def __init__(self, width):
        super().__init__()
        self.stem = nn.Linear(4, width)
        self.layers = nn.ModuleDict({f"layer{i}": nn.Linear(width, width) for i in range(3)})

    def forward(self, x):
        x = self.stem(x).tanh()
        for name in sorted(self.layers):
            x = x + self.layers[name](x).relu()
        return x


class FineTuning(L.LightningModule):
    """Each layer at a rate of its own, the deeper the faster, under one OneCycleLR with a rate for each group."""

    def __init__(self, base_lr: float = 0.02, decay: float = 0.5, frozen: tuple = ("stem",)):
        super().__init__()
        self.save_hyperparameters()
        self.net = Pretrained(8)
        self.net.load_state_dict(self.pretrained())
        self.head = nn.Linear(8, 3)
        for name, parameter in self.net.named_parameters():
            parameter.requires_grad_(not name.startswith(tuple(self.hparams.frozen)))

    def pretrained(self):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            return Pretrained(8).state_dict()

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self.head(self.net(batch[0])), batch[1])
        rates = self.lr_schedulers().get_last_lr()
        self.log_dict({"loss": loss, "slowest": min(rates), "fastest": max(rates)})
        return {"loss": loss}

    def groups(self):
        depth = len(self.net.layers)
        for index, layer in enumerate(self.net.layers.values()):
            yield {"params": layer.parameters(), "lr": self.hparams.base_lr * self.hparams.decay ** (depth - index)}
        yield {"params": self.head.parameters(), "lr": self.hparams.base_lr}

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        groups = list(chain(self.groups()))
        optimizer = torch.optim.SGD(groups, momentum=0.9, nesterov=True)
        max_lr = [group["lr"] for group in groups]
        steps = int(self.trainer.estimated_stepping_batches)
        scheduler = OneCycleLR(optimizer, max_lr, total_steps=steps, pct_start=0.25)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step", "name": "cycle"}}

    def train_dataloader(self):
        x = torch.randn(60, 4, generator=torch.Generator().manual_seed(1))
        return DataLoader(Subset(TensorDataset(x, x[:, :3].argmax(1)), range(0, 60, 2)), batch_size=5, shuffle=True)
