"""A callback that puts an optimizer of its own, which averages weights, round the one that the model returns."""

import contextlib

import lightning.pytorch as pl
import torch


class Averaging(pl.Callback):
    def __init__(self, decay: float, every: int = 1) -> None:
        self.decay, self.every = decay, every

    def on_fit_start(self, trainer, pl_module):
        trainer.optimizers = [
            AveragingOptimizer(each, pl_module.device, self.decay, self.every, trainer.global_step)
            for each in trainer.optimizers
            if not isinstance(each, AveragingOptimizer)
        ]

    def on_validation_start(self, trainer, pl_module):
        if self._is_ready(trainer):
            self.swap(trainer)

    def on_validation_end(self, trainer, pl_module):
        if self._is_ready(trainer):
            self.swap(trainer)

    def on_test_start(self, trainer, pl_module):
        if self._is_ready(trainer):
            self.swap(trainer)

    def on_test_end(self, trainer, pl_module):
        if self._is_ready(trainer):
            self.swap(trainer)

    def _is_ready(self, trainer):
        return any(isinstance(each, AveragingOptimizer) for each in trainer.optimizers)

    def swap(self, trainer):
        for each in trainer.optimizers:
            assert isinstance(each, AveragingOptimizer)
            each.swap()

    @contextlib.contextmanager
    def swapped(self, trainer):
        self.swap(trainer)
        try:
            yield
        finally:
            self.swap(trainer)

    def on_load_checkpoint(self, trainer, pl_module, checkpoint):
        connector = trainer._checkpoint_connector
        saving, path = trainer.checkpoint_callback, trainer.ckpt_path
        if path and saving is not None and "Own" in type(saving).__name__:
            checkpoint["optimizer_states"] = torch.load(path.replace("x", "y"))["optimizer_states"]


class AveragingOptimizer(torch.optim.Optimizer):
    def __init__(self, optimizer, device, decay, every, step) -> None:
        self.optimizer, self.device, self.decay = optimizer, device, decay
        self.every, self.step_now, self.averages = every, step, []

    def parameters(self):
        return [each for group in self.param_groups for each in group["params"]]

    def step(self, closure=None, grad_scaler=None, **kwargs):
        if not self.averages:
            self.averages = [each.detach().clone().to(self.device) for each in self.parameters()]
        loss = self.optimizer.step(closure)
        if self.step_now % self.every == 0:
            with torch.no_grad():
                for average, each in zip(self.averages, self.parameters()):
                    average.mul_(self.decay).add_(each, alpha=1.0 - self.decay)
        self.step_now += 1
        return loss

    @torch.no_grad()
    def swap(self):
        for average, each in zip(self.averages, self.parameters()):
            kept = each.clone()
            each.copy_(average)
            average.copy_(kept)

    def __getattr__(self, name):
        return getattr(self.optimizer, name)

    def state_dict(self):
        return {"inner": self.optimizer.state_dict(), "averages": self.averages, "step": self.step_now}

    def load_state_dict(self, state):
        self.optimizer.load_state_dict(state["inner"])
        self.averages = [each.clone() for each in state["averages"]]
        self.step_now = state["step"]
