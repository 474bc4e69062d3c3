"""A callback that notes which hooks are called, and what the trainer is then."""

from pathlib import Path

import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping

CALLED = []


class Recorder(Callback):
    def __init__(self, name):
        self.name = name

    def note(self, hook, trainer, *more):
        CALLED.append(" ".join(map(str, (self.name, hook, trainer.current_epoch, trainer.global_step, *more))))

    def setup(self, trainer, pl_module, stage):
        self.note("setup", trainer, stage == "fit")

    def on_fit_start(self, trainer, pl_module):
        self.note("on_fit_start", trainer, pl_module.device)

    def on_sanity_check_start(self, trainer, pl_module):
        self.note("on_sanity_check_start", trainer)

    def on_sanity_check_end(self, trainer, pl_module):
        self.note("on_sanity_check_end", trainer, sorted(trainer.callback_metrics))

    def on_train_start(self, trainer, pl_module):
        self.note("on_train_start", trainer)

    def on_train_epoch_start(self, trainer, pl_module):
        self.note("on_train_epoch_start", trainer, pl_module.training)

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        self.note("on_train_batch_start", trainer, batch_idx, len(batch[0]))

    def on_before_zero_grad(self, trainer, pl_module, optimizer):
        self.note("on_before_zero_grad", trainer)

    def on_before_backward(self, trainer, pl_module, loss):
        self.note("on_before_backward", trainer, loss.shape)

    def on_after_backward(self, trainer, pl_module):
        self.note("on_after_backward", trainer)

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        self.note("on_before_optimizer_step", trainer, type(optimizer).__name__)

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.note("on_train_batch_end", trainer, batch_idx, sorted(outputs))

    def on_validation_start(self, trainer, pl_module):
        self.note("on_validation_start", trainer, pl_module.training)

    def on_validation_epoch_start(self, trainer, pl_module):
        self.note("on_validation_epoch_start", trainer, trainer.sanity_checking)

    def on_validation_batch_start(self, trainer, pl_module, batch, batch_idx, dataloader_idx=0):
        self.note("on_validation_batch_start", trainer, batch_idx, dataloader_idx)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.note("on_validation_batch_end", trainer, batch_idx, outputs is None)

    def on_validation_epoch_end(self, trainer, pl_module):
        self.note("on_validation_epoch_end", trainer)

    def on_validation_end(self, trainer, pl_module):
        self.note("on_validation_end", trainer, sorted(trainer.callback_metrics))

    def on_train_epoch_end(self, trainer, pl_module):
        self.note("on_train_epoch_end", trainer, sorted(trainer.callback_metrics))
        pl_module.log(f"{self.name}_norm", sum(p.norm() for p in pl_module.parameters()).detach())

    def on_save_checkpoint(self, trainer, pl_module, checkpoint):
        self.note("on_save_checkpoint", trainer, checkpoint["epoch"])

    def on_train_end(self, trainer, pl_module):
        self.note("on_train_end", trainer)

    def on_fit_end(self, trainer, pl_module):
        self.note("on_fit_end", trainer)

    def teardown(self, trainer, pl_module, stage):
        self.note("teardown", trainer, stage == "fit")
        if trainer.is_global_zero:
            Path(f"{self.name}.txt").write_text("\n".join(CALLED))

    def state_dict(self):
        return {"calls": len(CALLED)}

    @property
    def state_key(self):
        return f"Recorder {self.name}"


class Patient(EarlyStopping):
    """Says when it looks."""

    def on_train_epoch_end(self, trainer, pl_module):
        CALLED.append(f"patient looks at {sorted(trainer.callback_metrics)}")
        super().on_train_epoch_end(trainer, pl_module)


class Averaging(Callback):
    """Keeps a running mean of the weights, as many do by hand."""

    def __init__(self, decay=0.9):
        super().__init__()
        self.decay = decay
        self.mean = None

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        weights = torch.cat([p.detach().flatten() for p in pl_module.parameters()])
        self.mean = weights if self.mean is None else self.decay * self.mean + (1 - self.decay) * weights

    def on_validation_epoch_end(self, trainer, pl_module):
        if self.mean is not None and not trainer.sanity_checking:
            pl_module.log("mean_weight", self.mean.mean(), sync_dist=True)

    def state_dict(self):
        return {"mean": self.mean}

    def load_state_dict(self, state_dict):
        self.mean = state_dict["mean"]
