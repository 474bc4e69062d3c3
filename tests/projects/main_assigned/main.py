"""Hooks that are assigned to classes and objects: functions, methods by another name, lambdas."""

import os
import types

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.on_train_start = lambda: SEEN.append("train starts")

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def report(self):
        SEEN.append(["report", self.current_epoch])
        self.log("reported", float(self.global_step))


def supervised(net, batch, batch_idx):
    x, y = batch
    loss = nn.functional.mse_loss(net.layer(x), y)
    net.log("loss", loss, on_epoch=True, sync_dist=True)
    return {"loss": loss, "count": len(x)}


def validated(net, batch, batch_idx):
    net.log("val_loss", nn.functional.mse_loss(net.layer(batch[0]), batch[1]), sync_dist=True)


def made(net):
    return torch.optim.Adam(net.parameters(), 0.05)


Net.training_step = supervised
Net.validation_step = validated
Net.configure_optimizers = made


class Watch(L.Callback):
    def on_train_epoch_start(self, trainer, pl_module):
        SEEN.append("never, as another takes its place")

    def count(self, trainer, pl_module):
        SEEN.append(["count", trainer.global_step])


def starts(self, trainer, pl_module):
    SEEN.append(["starts", trainer.current_epoch])


Watch.on_train_epoch_start = starts


def batch_end(self, outputs, batch, batch_idx):
    SEEN.append([batch_idx, outputs["count"], self.trainer.global_step])
    with torch.no_grad():
        self.layer.bias.mul_(0.9)


def main():
    L.seed_everything(3)
    x = torch.rand(12, 3, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    net, watch, plain = Net(), Watch(), L.Callback()
    net.on_train_batch_end = types.MethodType(batch_end, net)
    net.on_train_epoch_end = net.report
    if x.sum() > 0:
        setattr(net, "on_fit_end", batch_end.__get__(net) if x.sum() < 0 else lambda: SEEN.append("fit ends"))
    watch.on_train_end = watch.count
    watch.on_validation_epoch_end = lambda trainer, pl_module: SEEN.append(trainer.callback_metrics["val_loss"])
    plain.on_before_optimizer_step = lambda trainer, pl_module, optimizer: pl_module.layer.weight.grad.mul_(0.5)
    plain.on_train_batch_start = lambda trainer, pl_module, batch, batch_idx: pl_module.log("batch", float(batch_idx))
    trainer = L.Trainer(max_epochs=2, logger=False, callbacks=[watch, plain], enable_progress_bar=False)
    trainer.fit(net, DataLoader(data, batch_size=2), DataLoader(data, batch_size=4))
    found = {name: float(value) for name, value in trainer.callback_metrics.items()}
    torch.save([SEEN, found], f"main_assigned.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
