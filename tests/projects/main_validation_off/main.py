"""Epochs without validation, as a callback sets the Trainer's limit, and checkpoints that wait for its scores."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Switch:
    def __init__(self):
        self.limit = None

    def turn(self, trainer, is_on):
        if not is_on and self.limit is None:
            self._keep(trainer)
        elif is_on and self.limit is not None:
            trainer.limit_val_batches, self.limit = self.limit, None

    def _keep(self, trainer):
        self.limit = trainer.limit_val_batches
        trainer.limit_val_batches = 0


class SomeEpochs(Callback):
    def __init__(self):
        self.switch = Switch()

    def on_train_epoch_start(self, trainer, pl_module):
        self.switch.turn(trainer, trainer.current_epoch % 3 == 0)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.counts = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.counts.append((self.trainer.current_epoch, batch_idx, self.trainer.limit_val_batches))
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def on_validation_end(self):
        if self.trainer.current_epoch == 3:
            self.trainer.limit_val_batches = 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=2)


if __name__ == "__main__":
    L.seed_everything(1)
    best = ModelCheckpoint("best", "{epoch}-{step}-{val_loss:.3f}", monitor="val_loss", save_top_k=2)
    steps = ModelCheckpoint(
        "steps",
        "{epoch}-{step}",
        monitor="val_loss",
        save_top_k=-1,
        every_n_train_steps=2,
        save_on_train_epoch_end=False,
    )
    model = Net()
    trainer = L.Trainer(
        max_epochs=7,
        limit_val_batches=0.75,
        callbacks=[SomeEpochs(), best, steps],
        enable_progress_bar=False,
    )
    trainer.fit(model, loader(16, 2), loader(16, 3))
    metrics = {name: value.item() for name, value in trainer.callback_metrics.items()}
    saved = sorted(os.listdir("steps")), sorted(map(os.path.basename, best.best_k_models))
    results = [model.state_dict(), model.counts, metrics, saved, trainer.limit_val_batches]
    torch.save(results, f"main_validation_off.{RANK}.results.pt")
