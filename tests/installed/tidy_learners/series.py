"""A model that can do more than to train."""

import inspect

import lightning.pytorch as pl
import torch
from lightning.pytorch import Trainer
from lightning.pytorch.callbacks import BasePredictionWriter, LearningRateFinder
from lightning.pytorch.utilities.parsing import get_init_args
from torch import nn


class Scale:
    def __init__(self, by):
        self.by = by


class Shown:
    def extra_repr(self):
        if isinstance(self, pl.LightningModule):
            return ", ".join(sorted(self.hparams))
        return ""


class Ratio(Shown, nn.Module):
    def forward(self, x, y):
        return (x - y).square().mean() / y.square().mean()


class Keeping(BasePredictionWriter):
    """Keeps what is predicted."""

    def __init__(self, factor, interval="batch"):
        super().__init__(write_interval=interval)
        self.factor = factor
        self.kept = []

    def on_predict_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.kept.append(pl_module.scaled_by(outputs, self.factor))

    def on_predict_epoch_end(self, trainer, pl_module):
        if self.interval.on_epoch:
            self.kept = [self.kept, trainer.predict_loop.epoch_batch_indices]


class Series(Shown, pl.LightningModule):
    OBJECTS = "objects"

    def __init__(self, rate=0.1, scale=None, steps=2, note=None):
        super().__init__()
        given = get_init_args(inspect.currentframe())
        self.save_hyperparameters({k: v for k, v in given.items() if k not in self.hparams and k != "self"})
        if self.hparams.note is None:
            self.hparams.note = f"{self.hparams.steps} steps"
        self.objects = [name for name, value in self.hparams.items() if isinstance(value, Scale)]
        for name in self.objects:
            setattr(self, name, self.hparams[name])
            del self._hparams[name]
            del self._hparams_initial[name]
        self.ratio = Ratio()

    @property
    def stage(self):
        return "train" if self.training else "other"

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.ratio(self.scaled_by(self(x), self.scale.by), y)
        self.log(f"{self.stage}_loss", loss)
        return loss

    # the data's own unit

    def scaled_by(self, values, factor):
        return values * factor

    def predict_step(self, batch, batch_idx):
        keeping = next(each for each in self.trainer.callbacks if isinstance(each, Keeping))
        return self(batch[0]) + keeping.factor

    def configure_optimizers(self):
        rate = self.hparams.rate
        if any(isinstance(each, LearningRateFinder) for each in self.trainer.callbacks):
            rate = 1.0
        return torch.optim.SGD(self.parameters(), lr=rate)

    def on_save_checkpoint(self, checkpoint):
        checkpoint[self.OBJECTS] = {name: getattr(self, name) for name in self.objects}
        checkpoint["hparams_name"] = "kwargs"
        checkpoint[self.CHECKPOINT_HYPER_PARAMS_KEY].update(checkpoint[self.OBJECTS])

    @classmethod
    def load_from_checkpoint(
        cls, checkpoint_path, map_location=None, hparams_file=None, strict=None, **kwargs
    ):
        if "weights_only" not in kwargs:
            kwargs["weights_only"] = False
        return super().load_from_checkpoint(
            checkpoint_path, map_location=map_location, hparams_file=hparams_file, strict=strict, **kwargs
        )

    def predict(self, data, factor=2.0, interval="batch", trainer_kwargs=None):
        keeping = Keeping(factor, interval)
        trainer_kwargs = {} if trainer_kwargs is None else trainer_kwargs
        trainer_kwargs.setdefault("callbacks", [*trainer_kwargs.get("callbacks", []), keeping])
        trainer_kwargs.setdefault("enable_progress_bar", False)
        trainer = Trainer(**trainer_kwargs)
        trainer.predict(self, data)
        return keeping.kept

    # checks of the authors'

    @classmethod
    def checked(cls):
        from tidy_learners.checks import ROWS

        return cls().predict(ROWS)


class Forecaster(Series):
    def __init__(self, width=4, scale=None, dropped=0, **kwargs):
        scale = Scale(2.0) if scale is None else scale
        self.save_hyperparameters()
        super().__init__(scale=scale, **kwargs)
        self.layers = nn.Sequential(nn.Linear(3, self.hparams.width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x)

    def checks(self):
        return self.checked()
