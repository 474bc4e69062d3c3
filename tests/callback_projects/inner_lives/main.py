"""Callbacks that do as Lightning's do inside: they ask when it is time, and by what, and set that too."""

import os
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class EveryEpoch(ModelCheckpoint):
    """Saves the last file each time, and writes down why."""

    def on_validation_end(self, trainer, pl_module):
        if self._should_skip_saving_checkpoint(trainer) or self._should_save_on_train_epoch_end(trainer):
            return
        candidates = self._monitor_candidates(trainer)
        if self._every_n_epochs >= 1 and (trainer.current_epoch + 1) % self._every_n_epochs == 0:
            self._save_topk_checkpoint(trainer, candidates)
        self._save_last_checkpoint(trainer, candidates)
        told = (self._every_n_epochs, self._every_n_train_steps, self._train_time_interval)
        note(trainer, f"saved {told} {Path(self._last_checkpoint_saved).name} {self._last_global_step_saved}")

    @property
    def state_key(self):
        return self._generate_state_key(monitor=self.monitor, every=self._every_n_epochs, kind="every")


class Growing(ModelCheckpoint):
    """Saves after more and more steps."""

    def __init__(self, **options):
        super().__init__(**options)
        self._every_n_train_steps = 3
        self._enable_version_counter = False

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        super().on_train_batch_end(trainer, pl_module, outputs, batch, batch_idx)
        if self._last_global_step_saved == trainer.global_step:
            self._every_n_train_steps += 1

    def on_train_epoch_end(self, trainer, pl_module):
        candidates = self._monitor_candidates(trainer)
        path = self._get_metric_interpolated_filepath_name(candidates, trainer)
        gone = self._should_remove_checkpoint(trainer, self.best_model_path, path)
        fails = self._should_save_on_exception(trainer)
        there = len(self._fs.glob(f"{self.dirpath}/*.ckpt"))
        note(trainer, f"{Path(path).name} {there} {gone} {fails} {self.check_monitor_top_k(trainer, None)}")


class AfterWarmup(EarlyStopping):
    """Looks at values from an epoch on."""

    def __init__(self, first, **options):
        super().__init__(**options)
        self.first = first

    def on_train_epoch_end(self, trainer, pl_module):
        if not self._check_on_train_epoch_end or self._should_skip_check(trainer):
            return
        if trainer.current_epoch >= self.first:
            self._run_early_stopping_check(trainer)

    def on_validation_end(self, trainer, pl_module):
        if self._check_on_train_epoch_end or self._should_skip_check(trainer):
            return
        if trainer.current_epoch >= self.first and self._validate_condition_metric(trainer.callback_metrics):
            self._run_early_stopping_check(trainer)
        note(trainer, f"{self.order_dict[self.mode]} {self.wait_count} {self.best_score:.6f}")


class Relative(EarlyStopping):
    """What is no improvement depends on the best value."""

    def setup(self, trainer, pl_module, stage):
        self._check_on_train_epoch_end = False
        super().setup(trainer, pl_module, stage)

    def _evaluate_stopping_criteria(self, current):
        if self.monitor_op(current - self.min_delta * self.best_score.abs(), self.best_score):
            self.best_score, self.wait_count = current, 0
            return False, f"better: {current:.3f}"
        self.wait_count += 1
        if self.wait_count == 2:
            self.min_delta = 0.0
            return super()._evaluate_stopping_criteria(current)
        return self.wait_count >= self.patience, None


class Late(EarlyStopping):
    """Says itself when no check is due."""

    def _should_skip_check(self, trainer):
        return super()._should_skip_check(trainer) or trainer.current_epoch < trainer.min_epochs


class Told(ModelCheckpoint):
    """Writes down what it saves, and by what."""

    def _save_none_monitor_checkpoint(self, trainer, monitor_candidates):
        super()._save_none_monitor_checkpoint(trainer, monitor_candidates)
        note(trainer, f"newest {Path(self.best_model_path).name}")

    def _save_monitor_checkpoint(self, trainer, monitor_candidates):
        super()._save_monitor_checkpoint(trainer, monitor_candidates)
        note(trainer, f"best {Path(self.best_model_path).name}")

    def _update_best_and_save(self, current, trainer, monitor_candidates):
        super()._update_best_and_save(current, trainer, monitor_candidates)
        note(trainer, f"kept {current:.6f}")


class Watch(Callback):
    """Asks others what they are told."""

    def on_fit_start(self, trainer, pl_module):
        for each in trainer.checkpoint_callbacks:
            note(trainer, f"{each.every_n_epochs} {each._every_n_train_steps} {each._save_on_train_epoch_end}")
        note(trainer, [each._check_on_train_epoch_end for each in trainer.early_stopping_callbacks])


def note(trainer, text):
    if trainer.is_global_zero:
        with open("notes.txt", "a") as file:
            print(text, file=file)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def run(seed, callbacks, **options):
    L.seed_everything(seed)
    trainer = L.Trainer(
        max_epochs=12,
        callbacks=[*callbacks, Watch()],
        logger=False,
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
        enable_progress_bar=False,
        **options,
    )
    generator = torch.Generator().manual_seed(seed)
    x, y = torch.randn(32, 6, generator=generator), torch.randint(3, (32,), generator=generator)
    loader = DataLoader(TensorDataset(x, y), batch_size=4, shuffle=True)
    trainer.fit(Net(), loader, DataLoader(TensorDataset(x, y), batch_size=4))
    note(trainer, f"ended after {trainer.current_epoch} epochs, {trainer.global_step} steps")


def main():
    run(3, [EveryEpoch(dirpath="every", monitor="val_loss", save_top_k=2, save_last=True)])
    run(
        4,
        [
            EveryEpoch(dirpath="late", save_on_train_epoch_end=False, every_n_epochs=2),
            Growing(dirpath="growing", monitor="loss", save_top_k=-1),
            AfterWarmup(first=3, monitor="val_loss", patience=1, verbose=True),
        ],
        check_val_every_n_epoch=2,
    )
    run(5, [AfterWarmup(first=2, monitor="loss", mode="max", patience=3), ModelCheckpoint(dirpath="plain")])
    run(6, [Relative(monitor="val_loss", min_delta=0.02, patience=3), ModelCheckpoint("r", every_n_train_steps=9)])
    told = Told("told", monitor="val_loss", save_top_k=2)
    run(7, [Late("loss", mode="max", patience=1), told, Told("newest")], min_epochs=4)
    late = Late("val_loss", mode="max", patience=1, check_on_train_epoch_end=False)
    run(8, [late, ModelCheckpoint("late_too")], min_epochs=3)


if __name__ == "__main__":
    main()
