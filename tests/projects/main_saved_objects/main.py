"""Checkpoints that hold objects of the code's own classes, read by runs that are told to: `weights_only=False`."""

from dataclasses import dataclass

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Options:
    rate: float = 0.1
    width: int = 4


class History(Callback):
    """Keeps an object of the options' class for each epoch."""

    def __init__(self):
        self.epochs = []

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs.append(Options(pl_module.hparams.options.rate / 2, trainer.current_epoch))

    def state_dict(self):
        return {"epochs": self.epochs}

    def load_state_dict(self, state):
        self.epochs = state["epochs"]


class Net(L.LightningModule):
    def __init__(self, options: Options):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(options.width, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.options.rate)


def data():
    return DataLoader(TensorDataset(torch.arange(96.0).reshape(24, 4) / 96), batch_size=4)


def trainer_for(epochs, history):
    saving = ModelCheckpoint("saved_objects", f"after_{epochs}")
    return L.Trainer(
        max_epochs=epochs, callbacks=[history, saving], logger=False, enable_progress_bar=False
    )


if __name__ == "__main__":
    L.seed_everything(3)
    first, second, tested = History(), History(), History()
    model = Net(Options())
    trainer = trainer_for(1, first)
    trainer.fit(model, data())
    path = trainer.checkpoint_callback.best_model_path
    trainer = trainer_for(3, second)
    trainer.fit(model, data(), ckpt_path=path, weights_only=False)
    scores = trainer.test(model, data(), ckpt_path="best", weights_only=False, verbose=False)
    scores += trainer_for(1, tested).test(model, data(), ckpt_path=path, weights_only=False, verbose=False)
    loaded = Net.load_from_checkpoint(path, weights_only=False)
    seen = [[(each.rate, each.width) for each in one.epochs] for one in (first, second, tested)]
    if trainer.is_global_zero:
        states = model.state_dict(), loaded.state_dict(), loaded.hparams.options.width
        torch.save([states, scores, seen], "saved_objects.results.pt")
