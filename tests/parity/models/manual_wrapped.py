import json
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Damped(torch.optim.Adam):
    """An optimizer of one's own, which code asks for by its class."""


class Wrapped(L.LightningModule):
    """Optimizers as Lightning wraps them: toggled by themselves, stepped within and behind its back."""

    def __init__(self, lr: float = 0.05):
        super().__init__()
        self.automatic_optimization = False
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)
        self.lr = lr
        self.calls = []

    def loss(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.second(torch.tanh(self.first(x))), y)

    def training_step(self, batch, batch_idx):
        one, two = self.optimizers()
        self.log("kinds", float(isinstance(one, torch.optim.SGD) + 2 * isinstance(two, (list, torch.optim.SGD))))
        self.log("damped", float(isinstance(two, Damped)))
        is_last = batch_idx % 2 == 1

        def closure():
            loss = self.loss(batch)
            self.manual_backward(loss)
            self.log("one", loss)
            return loss

        with one.toggle_model(sync_grad=is_last):
            closure()
            if is_last:
                one.step()
                one.zero_grad()
        two.zero_grad()
        with two.toggle_model():
            if batch_idx % 3 == 0:
                two.step(closure=closure)
            else:
                closure()
                two.optimizer.step()
        if batch_idx == 4:
            self.optimizers(use_pl_optimizer=False)[1].step()
        self.log("lr", one.param_groups[0]["lr"])
        self.log("stepped", float(self.global_step))

    def on_before_optimizer_step(self, optimizer):
        norm = sum(p.grad.abs().sum().item() for group in optimizer.param_groups for p in group["params"])
        self.calls.append([self.global_step, type(optimizer).__name__, norm])

    def on_train_epoch_end(self):
        one, _ = self.optimizers()
        self.manual_backward(self.loss((torch.ones(2, 3), torch.ones(2, 1))))
        one.step()
        self.zero_grad()
        for scheduler in self.lr_schedulers():
            scheduler.step()

    def teardown(self, stage):
        path = os.environ.get("DDPGEN_HOOK_LOG")
        if path:
            with open(f"{path}.{self.global_rank}.json", "w") as file:
                json.dump(self.calls, file)

    def configure_optimizers(self):
        optimizers = [
            torch.optim.SGD(self.first.parameters(), lr=self.lr, momentum=0.9),
            Damped(self.second.parameters(), lr=self.lr),
        ]
        return [
            {"optimizer": each, "lr_scheduler": torch.optim.lr_scheduler.StepLR(each, 1, 0.8)}
            for each in optimizers
        ]

    def train_dataloader(self):
        x = torch.randn(36, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3, shuffle=True)
