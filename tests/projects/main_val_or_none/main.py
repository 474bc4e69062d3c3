"""Trainings with validation data, without any, and with what may be none."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.seen = []

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def on_fit_start(self):
        self.seen.append(self.trainer.enable_validation)

    def on_validation_epoch_end(self):
        self.seen.append(self.trainer.global_step)

    def on_train_epoch_end(self):
        self.seen.append([len(self.trainer.num_val_batches), self.trainer.val_dataloaders is None])
        self.seen.append(getattr(self.trainer, "enable_validation", "no"))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def loader(count, seed):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=seed == 0)


def trainer_of(name):
    watched = "val_loss" if name == "named" else "loss"
    callbacks = [EarlyStopping(watched, patience=1)]
    share = 0.0 if name == "vain" else 1.0
    return L.Trainer(
        max_epochs=3, limit_val_batches=share, logger=False, enable_progress_bar=False, callbacks=callbacks
    )


def train(name, validates):
    L.seed_everything(5)
    model, trainer = Model(), trainer_of(name)
    if name == "plain":
        trainer.fit(model, loader(24, 0))
    elif name == "named":
        trainer.fit(model, train_dataloaders=loader(24, 0), val_dataloaders=loader(8, 1))
    else:
        val = loader(8, 1) if validates else None
        trainer.fit(model, loader(24, 0), val)
    return model.seen, dict(trainer.callback_metrics), model.layer.weight.detach()


if __name__ == "__main__":
    found = {name: train(name, "v" in name) for name in ("plain", "named", "given", "vain", "none")}
    torch.save(found, f"main_val_or_none.{os.environ.get('RANK', '0')}.results.pt")
