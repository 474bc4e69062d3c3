"""Monitors of learning rates that look at optimizers in their own way, with the methods of Lightning's."""

import os
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Scaled(LearningRateMonitor):
    """The rates that an optimizer steps with which scales them."""

    def _get_optimizer_stats(self, optimizer, names):
        stats = {}
        use_betas = "betas" in optimizer.defaults
        for group, name in zip(optimizer.param_groups, names):
            stats.update(self._extract_lr(group, name))
            stats.update(
                self._extract_momentum(param_group=group, name=f"{name}-momentum", use_betas=use_betas)
            )
            stats.update(self._extract_weight_decay(group, f"{name}-weight_decay"))
        return stats

    def _extract_lr(self, param_group, name):
        rate = param_group["lr"] * param_group.get("d", 1)
        self.lrs[name].append(rate)
        return {name: rate}


class Doubled(LearningRateMonitor):
    def _extract_lr(self, param_group, name):
        return {f"{name}-doubled": param_group["lr"] * 2}


class Counted(LearningRateMonitor):
    def _get_optimizer_stats(self, optimizer, names):
        return {**super()._get_optimizer_stats(optimizer, names), "groups": len(optimizer.param_groups)}


class Decay(LearningRateMonitor):
    def _get_optimizer_stats(self, optimizer, names):
        return {"decay": optimizer.param_groups[0]["weight_decay"]}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        optimizer.param_groups[0]["d"] = 3
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def main():
    monitors = {
        "scaled": Scaled("step", log_momentum=True),
        "doubled": Doubled("step"),
        "counted": Counted("epoch"),
        "decay": Decay("step"),
    }
    for name, monitor in monitors.items():
        L.seed_everything(1)
        trainer = L.Trainer(
            max_epochs=2,
            accelerator="cpu",
            devices=DEVICES,
            strategy="ddp" if DEVICES > 1 else "auto",
            logger=CSVLogger("logs", name),
            callbacks=[monitor],
            log_every_n_steps=3,
            enable_progress_bar=False,
            enable_checkpointing=False,
        )
        trainer.fit(Net(), DataLoader(TensorDataset(torch.randn(40, 6)), 4))
        if trainer.is_global_zero:
            with Path("told.txt").open("a") as file:
                print(name, dict(monitor.lrs), sorted(trainer.callback_metrics), file=file)


if __name__ == "__main__":
    main()
