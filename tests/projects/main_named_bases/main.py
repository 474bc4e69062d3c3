"""Methods of Lightning's that are called by the names of their classes."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OnLog:
    """Tells callbacks what is logged."""

    def log(self, name, value, **kwargs):
        output = L.LightningModule.log(self, name, value, **kwargs)
        for callback in self.trainer.callbacks:
            if hasattr(callback, "on_log"):
                callback.on_log(name, value)
        return output


class Heard(Callback):
    def __init__(self):
        Callback.__init__(self)
        self.heard = []

    def on_log(self, name, value):
        self.heard.append((name, float(value)))

    def state_dict(self):
        return {**Callback.state_dict(self), "heard": len(self.heard)}


class Patient(EarlyStopping):
    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.current_epoch > 0:
            EarlyStopping.on_train_epoch_end(self, trainer, pl_module)


class Base(L.LightningModule):
    def __init__(self):
        L.LightningModule.__init__(self)
        self.layer = nn.Linear(3, 1)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Model(OnLog, Base):
    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        L.LightningModule.log(
            self,  # nobody is told
            "val_loss",
            loss,
            sync_dist=True,
        )

    def optimizer_step(self, *arguments, **options):
        L.LightningModule.optimizer_step(self, *arguments, **options)


def loader(count, seed):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=seed == 0)


if __name__ == "__main__":
    L.seed_everything(5)
    model, heard = Model(), Heard()
    trainer = L.Trainer(
        max_epochs=5,
        logger=False,
        enable_progress_bar=False,
        callbacks=[heard, Patient("loss", patience=1, check_on_train_epoch_end=True)],
    )
    trainer.fit(model, loader(24, 0), loader(8, 1))
    found = heard.heard, dict(trainer.callback_metrics), model.layer.weight.detach()
    torch.save(found, f"main_named_bases.{os.environ.get('RANK', '0')}.results.pt")
