"""Training that is asked to stop before it starts, or before an epoch's first batch; and none by steps."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, Timer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Stop(Callback):
    """Asks for the end in one hook, in the second epoch where there is one."""

    def __init__(self, where, seen):
        self.where, self.seen = where, seen

    def stop(self, trainer, hook):
        self.seen.append((hook, trainer.current_epoch, trainer.global_step))
        if hook == self.where and (trainer.current_epoch == 1 or hook != "on_train_epoch_start"):
            trainer.should_stop = True

    def on_fit_start(self, trainer, pl_module):
        self.stop(trainer, "on_fit_start")

    def on_train_start(self, trainer, pl_module):
        self.stop(trainer, "on_train_start")

    def on_validation_end(self, trainer, pl_module):
        self.stop(trainer, "on_validation_end")

    def on_train_epoch_start(self, trainer, pl_module):
        self.stop(trainer, "on_train_epoch_start")

    def on_train_epoch_end(self, trainer, pl_module):
        self.stop(trainer, "on_train_epoch_end")

    def on_train_end(self, trainer, pl_module):
        self.stop(trainer, "on_train_end")

    def on_save_checkpoint(self, trainer, pl_module, checkpoint):
        self.seen.append(("on_save_checkpoint", checkpoint["epoch"], checkpoint["global_step"]))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val", self.layer(batch[0]).pow(2).mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


def loader():
    x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
    return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)


def run_by_default():
    """None stands for Lightning's own numbers: of epochs, of steps between logs, of batches that are tried."""
    L.seed_everything(6)
    model, seen = Net(), []
    trainer = L.Trainer(
        max_epochs=None,
        log_every_n_steps=None,
        num_sanity_val_steps=None,
        enable_checkpointing=True,  # beside Trainers that have none, and others that are given one
        logger=False,
        callbacks=[Stop("on_train_epoch_start", seen)],
    )
    trainer.fit(model, loader(), loader())
    return [seen, trainer.max_epochs, model.layer.weight.detach().clone(), torch.rand(1)]


def run_steps(steps):
    """No step is trained where the limit is reached at once, and nothing is saved then."""
    L.seed_everything(7)
    model, seen = Net(), []
    saving = ModelCheckpoint(f"main_ends_early_{steps}", every_n_train_steps=3, save_last=True)
    saving.CHECKPOINT_NAME_LAST = "newest"
    trainer = L.Trainer(max_steps=steps, logger=False, callbacks=[Stop("nowhere", seen), saving])
    trainer.fit(model, loader(), loader())
    saved = os.path.basename(saving.last_model_path), os.path.basename(saving.best_model_path)
    return [seen, saved, trainer.current_epoch, model.layer.weight.detach().clone(), torch.rand(1)]


def run(where, min_epochs=None, sanity=0, duration="01:00:00:00", every=1):
    L.seed_everything(5)
    model, seen = Net(), []
    trainer = L.Trainer(
        max_epochs=3,
        min_epochs=min_epochs,
        num_sanity_val_steps=sanity,
        log_every_n_steps=every,
        enable_checkpointing=False,
        logger=False,
        callbacks=[Stop(where, seen), Timer(duration)],
    )
    trainer.fit(model, loader(), loader())
    at = trainer.current_epoch, trainer.global_step, sorted(trainer.callback_metrics)
    return [seen, at, model.layer.weight.detach().clone(), torch.rand(1)]


if __name__ == "__main__":
    found = [
        run("nowhere", duration="00:00:00:00"),  # no time is left when it starts
        run_by_default(),
        run("nowhere", sanity=None, every=None),
        run("on_fit_start"),
        run("on_train_start"),
        run("on_train_start", min_epochs=2),
        run("on_validation_end", sanity=1),
        run("on_train_epoch_start"),
        run("on_train_epoch_start", min_epochs=2),
        run_steps(0),
        run_steps(5),
    ]
    torch.save(found, f"main_ends_early.{RANK}.results.pt")
