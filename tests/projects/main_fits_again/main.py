"""Trainers that are told to fit again, as in a notebook: one has no epoch left, another was stopped before its end.

And two that are given one list of callbacks, of which the second finds what the first has added.
"""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")
SEEN = []


def samples(count, seed):
    x = torch.randn(count, 3, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Notes(Callback):
    def on_fit_start(self, trainer, pl_module):
        SEEN.append(("fit", trainer.current_epoch, trainer.global_step))

    def on_train_start(self, trainer, pl_module):
        SEEN.append("train")

    def on_train_epoch_start(self, trainer, pl_module):
        SEEN.append((trainer.current_epoch, trainer.global_step, trainer.num_training_batches))

    def on_validation_epoch_end(self, trainer, pl_module):
        SEEN.append((trainer.sanity_checking, {name: float(value) for name, value in trainer.callback_metrics.items()}))

    def on_train_end(self, trainer, pl_module):
        SEEN.append("trained")

    def on_fit_end(self, trainer, pl_module):
        SEEN.append("fitted")


class Learner(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def setup(self, stage):
        SEEN.append(str(stage))
        self.data = samples(24, 1)

    def training_step(self, batch, batch_idx):
        loss = (self.layer(batch[0]) - batch[1]).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.layer(batch[0]) - batch[1]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", (self.layer(batch[0]) - batch[1]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        SEEN.append("optimizers")
        return torch.optim.Adam(self.parameters(), 0.05)

    def train_dataloader(self):
        SEEN.append("loader")
        return DataLoader(self.data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=6)

    def test_dataloader(self):
        return DataLoader(self.data, batch_size=8)


def main():
    L.seed_everything(4)
    model = Learner()
    trainer = L.Trainer(max_epochs=2, callbacks=[Notes(), ModelCheckpoint(monitor="val_loss")])
    trainer.fit(model)
    SEEN.append(trainer.test(ckpt_path="best"))
    SEEN.append(torch.rand(1))
    trainer.fit(model)
    SEEN.extend([trainer.current_epoch, trainer.global_step, torch.rand(1)])

    stopper = EarlyStopping("val_loss", min_delta=10.0, patience=1)
    trainer = L.Trainer(max_epochs=4, callbacks=[Notes(), stopper], num_sanity_val_steps=0)
    trainer.fit(model)
    trainer.fit(model)
    SEEN.extend([trainer.current_epoch, trainer.global_step, stopper.stopped_epoch, torch.rand(1)])

    callbacks = [Notes()]
    for folder in ("one", "two"):
        trainer = L.Trainer(
            max_epochs=1, enable_checkpointing=True, callbacks=callbacks, logger=False, default_root_dir=folder
        )
        trainer.fit(model)
        kept = next(each for each in callbacks if isinstance(each, ModelCheckpoint))
        SEEN.extend([kept.best_model_path, trainer.checkpoint_callback is kept])
    callbacks.append(ModelCheckpoint("kept", monitor="val_loss"))
    tester = L.Trainer(callbacks=callbacks, logger=False)
    SEEN.extend([len(tester.checkpoint_callbacks), tester.test(model, ckpt_path="best")])
    torch.save([SEEN, model.state_dict()], f"main_fits_again.{RANK}.results.pt")


if __name__ == "__main__":
    main()
