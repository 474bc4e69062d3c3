"""Trainers that are told to fit a stream again: at their last epoch, stopped by a score, and stopped within an epoch."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

RANK = os.environ.get("RANK", "0")
SEEN = []


class Drawn(IterableDataset):
    def __iter__(self):
        for count in range(6):
            SEEN.append(count)
            yield torch.rand(3)


class Notes(Callback):
    def __init__(self, stops_at):
        self.stops_at = stops_at

    def on_train_start(self, trainer, pl_module):
        SEEN.append(("train", trainer.current_epoch, trainer.global_step, torch.rand(1)))

    def on_train_epoch_start(self, trainer, pl_module):
        SEEN.append(("epoch", trainer.current_epoch, torch.rand(1)))

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.global_step == self.stops_at:
            trainer.should_stop = True


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        SEEN.append((batch_idx, self.optimizers().param_groups[0]["lr"]))
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val", self.layer(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


def run(epochs, mode="min", stops_at=-1):
    L.seed_everything(epochs)
    model, data = Net(), DataLoader(Drawn(), batch_size=2)
    trainer = L.Trainer(
        max_epochs=epochs,
        accumulate_grad_batches=2,
        callbacks=[Notes(stops_at), EarlyStopping("val", patience=1, mode=mode)],
    )
    trainer.fit(model, data, data)
    SEEN.append(trainer.validate(model, data))
    trainer.fit(model, data, data)
    SEEN.extend([trainer.current_epoch, trainer.global_step, model.layer.weight.detach().clone(), torch.rand(1)])


if __name__ == "__main__":
    run(2)
    run(3, stops_at=3)
    run(5, mode="max")
    torch.save(SEEN, f"main_streams_again.{RANK}.results.pt")
