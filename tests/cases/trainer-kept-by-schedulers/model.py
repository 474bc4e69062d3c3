import lightning as L
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Kept(optim.lr_scheduler.LRScheduler):
    """Its state would have it."""

    def __init__(self, optimizer, trainer):
        self.kept = trainer
        super().__init__(optimizer)

    def get_lr(self):
        return [base / self.kept.max_epochs for base in self.base_lrs]


class Lent(optim.lr_scheduler.LRScheduler):
    """What others ask of it is not known."""

    def __init__(self, optimizer, trainer):
        self.lent = trainer
        super().__init__(optimizer)
        self.lent = None

    def get_lr(self):
        return self.base_lrs


class Hidden(optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, **given):
        super().__init__(optimizer)
        self.given = given

    def get_lr(self):
        return self.base_lrs


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def on_train_start(self):
        print(self.schedulers[1].lent)

    def configure_optimizers(self):
        optimizer = optim.SGD(self.parameters(), lr=0.1)
        self.schedulers = [Kept(optimizer, self.trainer), Lent(optimizer, trainer=self.trainer)]
        self.schedulers.append(Hidden(optimizer, trainer=self.trainer))
        return [optimizer], self.schedulers[:1]

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(8, 4)), batch_size=2)
