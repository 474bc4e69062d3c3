"""Callbacks round the backwards and the steps of optimizers that the model steps itself: they see gradients, and change them."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import LambdaCallback, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Gradients(pl.Callback):
    """Notes what it is told, in order, and makes gradients smaller."""

    def __init__(self) -> None:
        self.noted = []

    def on_before_zero_grad(self, trainer, pl_module, optimizer):
        self.noted.append("zero")  # which Lightning leaves to the model here

    def on_before_backward(self, trainer, pl_module, loss):
        self.noted.append(("before", loss.item(), trainer.global_step))
        pl_module.log("backwards", float(len(self.noted)))

    def on_after_backward(self, trainer, pl_module):
        total = sum(each.grad.abs().sum() for each in pl_module.parameters() if each.grad is not None)
        self.noted.append(("after", total.item()))

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        self.noted.append((type(optimizer).__name__, trainer.global_step))
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad.mul_(0.5)
        self.log("rate", optimizer.param_groups[0]["lr"])

    def state_dict(self):
        return {"noted": self.noted}

    def load_state_dict(self, state):
        self.noted = state["noted"]


class Pair(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.one, self.other = nn.Linear(6, 3), nn.Linear(6, 3)
        self.seen = 0

    def training_step(self, batch, batch_idx):
        x, y = batch
        one, other = self.optimizers()
        self.toggle_optimizer(one)
        loss = F.cross_entropy(self.one(x), y)
        one.zero_grad()
        self.manual_backward(loss)
        one.step()
        self.untoggle_optimizer(one)
        self.log("loss", loss)

        def closure():
            loss = F.cross_entropy(self.other(x), y)
            other.zero_grad()
            self.manual_backward(loss)
            return loss

        with other.toggle_model():
            other.step(closure=closure)

    def on_after_backward(self):
        self.seen += 1
        self.one.weight.grad = None if self.seen % 3 == 0 else self.one.weight.grad
        if self.one.weight.grad is None:
            self.one.weight.grad = torch.ones_like(self.one.weight)

    def on_before_optimizer_step(self, optimizer):
        self.log("seen", float(self.seen))

    def configure_optimizers(self):
        return torch.optim.Adam(self.one.parameters(), lr=0.1), torch.optim.SGD(self.other.parameters(), lr=0.2)


def main() -> None:
    pl.seed_everything(3)
    losses = []
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        logger=CSVLogger("logs"),
        callbacks=[
            Gradients(),
            LambdaCallback(
                on_before_backward=lambda trainer, model, loss: losses.append(loss.item()),
                on_after_backward=lambda trainer, model: model.other.bias.grad is not None
                and model.other.bias.grad.neg_(),
            ),
            ModelCheckpoint("kept"),
        ],
        accelerator="cpu",
        strategy="ddp_find_unused_parameters_true" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    trainer.fit(Pair(), DataLoader(samples(), batch_size=4))
    if trainer.is_global_zero:
        with open("losses.txt", "w") as file:
            file.write(repr(losses))


if __name__ == "__main__":
    main()
