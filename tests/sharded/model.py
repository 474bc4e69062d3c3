"""What is trained in the tests of optimizers whose states are shared out."""

import json
from pathlib import Path

import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR, SequentialLR, StepLR
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """Two groups of parameters, and a scheduler that is made of others."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.body = nn.Sequential(*(nn.Sequential(nn.Linear(24, 24), nn.Tanh()) for _ in range(5)))
        self.head = nn.Linear(24, 24)
        self.norm = nn.BatchNorm1d(24)
        self.steps = 0

    def training_step(self, batch, batch_idx):
        x = self.head(self.body(batch[0]))
        return self.norm(x).pow(2).mean() + x.sum(1).exp().mean()

    def configure_optimizers(self):
        groups = [{"params": self.body.parameters()}, {"params": [*self.head.parameters()], "lr": 0.02}]
        optimizer = torch.optim.Adam(groups, lr=0.01)
        optimizer.register_step_post_hook(self.count)
        schedulers = LinearLR(optimizer, 0.1, total_iters=2), StepLR(optimizer, 1, 0.5)
        return [optimizer], [SequentialLR(optimizer, schedulers, [2])]

    def count(self, optimizer, arguments, options):
        self.steps += 1

    def train_dataloader(self):
        samples = torch.randn(48, 24, generator=torch.Generator().manual_seed(7))
        return DataLoader(TensorDataset(samples), batch_size=4)


def size(tensor):
    return tensor.numel() * tensor.element_size()


class Telling(Net):
    def on_train_end(self):
        """Tells what this rank has of the optimizer's states, and what hooks have seen."""
        (optimizer,) = self.trainer.optimizers
        states = [each for state in optimizer.state.values() for each in state.values()]
        told = {"bytes": sum(map(size, states)), "kind": type(optimizer).__name__, "steps": self.steps}
        told["isAdam"] = isinstance(optimizer, torch.optim.Adam)
        Path(f"told-{self.global_rank}.json").write_text(json.dumps(told))


class ByHook(Net):
    """Calls its closure itself."""

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        optimizer.step(closure=optimizer_closure)

    def configure_optimizers(self):
        return torch.optim.Adagrad(self.parameters(), lr=0.01, initial_accumulator_value=0.1)


class ByHand(Net):
    """Two optimizers in turn, one of which is kept."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        for optimizer in (self.of_body, self.optimizers()[1]):
            self.toggle_optimizer(optimizer)
            optimizer.zero_grad()
            self.manual_backward(super().training_step(batch, batch_idx))
            optimizer.step()
            self.untoggle_optimizer(optimizer)
        if self.trainer.is_last_batch:
            for scheduler in self.lr_schedulers():
                scheduler.step()

    def configure_optimizers(self):
        self.of_body = torch.optim.AdamW(self.body.parameters(), lr=0.01)
        head = torch.optim.SGD(self.head.parameters(), lr=0.02, momentum=0.9)
        return [self.of_body, head], [StepLR(each, 1, 0.9) for each in (self.of_body, head)]


class Growing(Net):
    """Gives its optimizer more parameters later."""

    def configure_optimizers(self):
        return torch.optim.RMSprop(self.head.parameters(), lr=0.01)

    has_grown = False

    def on_load_checkpoint(self, checkpoint):
        self.has_grown = checkpoint["epoch"] >= 1

    def on_fit_start(self):  # as here it is epoch 0 yet
        if self.has_grown:
            self.grow()

    def on_train_epoch_start(self):
        if self.current_epoch == 1:
            self.grow()

    def grow(self):
        self.trainer.optimizers[0].add_param_group({"params": self.body.parameters(), "lr": 0.005})
