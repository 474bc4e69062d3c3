import lightning as L
import torch
from lightning.pytorch.utilities.types import OptimizerLRScheduler
from torch import nn
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    SequentialLR,
)
from torch.utils.data import DataLoader, TensorDataset


class Warmup:
    """A callable with a state, which LambdaLR saves."""

    def __init__(self, steps: int):
        self.steps = steps
        self.calls = 0

    def __call__(self, step: int) -> float:
        self.calls += 1
        return min(1.0, (step + 1) / self.steps)


class Composed(L.LightningModule):
    """Schedulers made of schedulers."""

    def __init__(self, kind: str = "sequential"):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - batch[0]).abs().mean()
        self.log("loss", loss)
        self.log("lr", self.optimizer.param_groups[0]["lr"])
        return loss

    def configure_optimizers(self) -> OptimizerLRScheduler:
        self.optimizer = optimizer = torch.optim.SGD(self.parameters(), lr=0.5)
        if self.hparams.kind == "sequential":
            parts = [LinearLR(optimizer, 0.1, total_iters=4), ExponentialLR(optimizer, 0.8)]
            scheduler = SequentialLR(optimizer, parts, milestones=[4])
        elif self.hparams.kind == "chained":
            scheduler = ChainedScheduler([ConstantLR(optimizer, 0.1, 3), ExponentialLR(optimizer, 0.9)])
        else:
            scheduler = LambdaLR(optimizer, Warmup(7))
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)
