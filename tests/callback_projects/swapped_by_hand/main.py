"""A callback that swaps the optimizers of a model that steps them itself: counted, validated with, gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Averages(torch.optim.Optimizer):
    def __init__(self, optimizer, decay, step) -> None:
        self.optimizer, self.decay, self.step_now, self.averages = optimizer, decay, step, []

    def parameters(self):
        return [each for group in self.optimizer.param_groups for each in group["params"]]

    @torch.no_grad()
    def step(self, closure=None, **kwargs):
        self.averages = self.averages or [each.detach().clone() for each in self.parameters()]
        loss = self.optimizer.step(closure)
        for average, each in zip(self.averages, self.parameters()):
            average.mul_(self.decay).add_(each, alpha=1.0 - self.decay)
        self.step_now += 1
        return loss

    @torch.no_grad()
    def swap(self):
        for average, each in zip(self.averages, self.parameters()):
            kept = each.clone()
            each.copy_(average)
            average.copy_(kept)

    def __getattr__(self, name):
        return getattr(self.optimizer, name)

    def state_dict(self):
        return {"inner": self.optimizer.state_dict(), "averages": self.averages, "step": self.step_now}

    def load_state_dict(self, state):
        self.optimizer.load_state_dict(state["inner"])
        self.averages, self.step_now = [each.clone() for each in state["averages"]], state["step"]


class Averaging(pl.Callback):
    def on_fit_start(self, trainer, pl_module):
        pl_module.rates = [each.param_groups[0]["lr"] for each in pl_module.optimizers()]
        trainer.optimizers = [Averages(each, 0.8, trainer.global_step) for each in trainer.optimizers]

    def on_validation_start(self, trainer, pl_module):
        for each in trainer.optimizers:
            each.swap()

    def on_validation_end(self, trainer, pl_module):
        for each in trainer.optimizers:
            each.swap()


class Pair(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.one, self.other = nn.Linear(6, 3), nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        one, other = self.optimizers()
        loss = F.cross_entropy(self.one(x) + self.other(x), y)
        one.zero_grad()
        other.zero_grad()
        self.manual_backward(loss)
        one.step()
        if batch_idx % 2:
            other.step()
        self.log("loss", loss)
        self.log("steps", float(one.step_now + other.step_now))
        self.log("rates", sum(self.rates))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.one(x) + self.other(x), y), sync_dist=True)

    def configure_optimizers(self):
        return [torch.optim.Adam(self.one.parameters(), 0.05), torch.optim.SGD(self.other.parameters(), 0.1)]


def train(model, max_epochs, ckpt_path=None) -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        log_every_n_steps=1,
        logger=CSVLogger("logs", name="pair"),
        callbacks=[Averaging(), ModelCheckpoint("kept", monitor="val_loss", save_top_k=-1, save_last=True)],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    loaders = DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8)
    trainer.fit(model, *loaders, ckpt_path=ckpt_path)
    print(trainer.global_step, [type(each).__name__ for each in trainer.optimizers])


def main() -> None:
    train(Pair(), 2)
    train(Pair(), 3, "kept/last.ckpt")


if __name__ == "__main__":
    main()
