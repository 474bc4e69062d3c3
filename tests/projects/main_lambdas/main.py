"""Callbacks of lambdas, functions and methods of objects; functions of a main's that hooks call; loaders of partials."""

import os
from functools import partial

import lightning as L
import torch
from lightning.pytorch.callbacks import LambdaCallback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self, trains, weigh):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.noise = 0.0
        self.trains, self.weigh = trains, weigh
        self.train_dataloader = partial(self.loader, 32.0, shuffle=True)
        self.val_dataloader = partial(self.loader, rows=16.0)

    def training_step(self, batch, batch_idx):
        return self.weigh(self) * self.layer(batch[0] + self.noise).square().mean()

    def validation_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def setup(self, stage):
        for name, parameter in self.named_parameters():
            parameter.requires_grad = self.trains(name)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, rows, shuffle=False):
        return DataLoader(TensorDataset(torch.arange(rows).view(-1, 4) / 10), batch_size=2, shuffle=shuffle)


class Counter:
    def __init__(self):
        self.seen = []

    def note(self, trainer, module, outputs, batch, batch_idx):
        self.seen.append((trainer.global_step, batch_idx, outputs["loss"].item()))


def louder(trainer, module):
    module.noise = 0.1 * (trainer.current_epoch + 1)
    module.log("noise", module.noise)


def main():
    L.seed_everything(5)
    counter, stages = Counter(), []
    setup = None if RANK == "7" else lambda trainer, module, stage: stages.append(stage)

    def slower(trainer, pl_module, optimizer):
        for group in optimizer.param_groups:
            group["lr"] *= 0.95

    callbacks = [
        LambdaCallback(setup=setup, on_train_epoch_start=louder, on_before_optimizer_step=slower),
        LambdaCallback(on_train_batch_end=counter.note, on_fit_end=None),
        LambdaCallback(
            on_validation_epoch_end=lambda trainer, pl_module: counter.seen.append(
                (trainer.sanity_checking, trainer.current_epoch, pl_module.layer.weight.sum().item())
            )
        ),
    ]
    trainer = L.Trainer(max_epochs=2, callbacks=callbacks, enable_progress_bar=False)

    def weigh(module):
        module.log("weight", 1.0 / (trainer.global_step + 1))
        return 1.0 / (trainer.global_step + 1)

    frozen = ["layer.bias"]
    trainer.fit(Net(lambda name: name not in frozen, weigh))
    torch.save([counter.seen, stages], f"main_lambdas.{RANK}.results.pt")


if __name__ == "__main__":
    main()
