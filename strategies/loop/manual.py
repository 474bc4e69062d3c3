"""Optimizers that the model steps by itself, in `training_step`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.optim import LBFGS

from ..data_parallel.grad_sync import single_auto_sync
from .optimizers import optimized_parameters
from .precision import unscale


def bare_scheduler(scheduler: Any) -> Any:
    """The scheduler alone, out of a dict that also says when it steps: the model decides."""
    return scheduler["scheduler"] if isinstance(scheduler, dict) else scheduler


@dataclass
class NamedSchedule:
    """A scheduler that the model steps itself, as callbacks read it."""

    scheduler: Any
    name: str | None = None
    interval: str = "epoch"


def named_schedule(scheduler: Any) -> NamedSchedule:
    """The scheduler with its name and its interval, which a dict may say."""
    said = scheduler if isinstance(scheduler, dict) else {}
    interval = said.get("interval", "epoch")  # monitors go by it, the model does not
    return NamedSchedule(bare_scheduler(scheduler), said.get("name"), interval)


def read_several(
    configured: Any, read: Callable[[Any], Any] = bare_scheduler
) -> tuple[list[Any], list[Any]]:
    """The optimizers and schedulers, out of any form that `configure_optimizers` may return."""
    if configured is None:
        return [], []
    if not isinstance(configured, list | tuple):
        configured = [configured]
    if len(configured) == 2 and isinstance(configured[0], list):
        optimizers, schedulers = configured
        schedulers = schedulers if isinstance(schedulers, list) else [schedulers]
        return optimizers, [read(each) for each in schedulers]
    if not all(isinstance(each, dict) for each in configured):
        return list(configured), []
    schedulers = [each["lr_scheduler"] for each in configured if "lr_scheduler" in each]
    optimizers = [each["optimizer"] for each in configured]
    return optimizers, [read(each) for each in schedulers]


class ManualOptimizer:
    """An optimizer as `self.optimizers()` gives it: its steps are counted, those of its `optimizer` are not."""

    calls_hook = True
    calls_callbacks = True
    shares_gradients = True
    scales_losses = True

    def __init__(
        self, optimizer: Any, model: Any, count_step: Callable[[], None]
    ) -> None:
        self.optimizer = optimizer
        self.model = model
        self.count_step = count_step

    def step(self, closure: Callable[[], Any] | None = None, **options: Any) -> Any:
        if self.scales_losses and self.model.trainer.loss_scaler.is_enabled():
            result = self.scaled_step(closure, options)
        else:
            if self.calls_hook or self.calls_callbacks:
                closure = self.with_hooks(closure)
            result = self.optimizer.step(closure=closure, **options)
        self.count_step()
        return result

    def with_hooks(self, closure: Callable[[], Any] | None) -> Callable[[], Any]:
        """The closure, after which hooks see its gradients."""

        def closure_and_hooks() -> Any:
            loss = closure() if closure else None
            if self.calls_callbacks:
                self.tell_callbacks()
            if self.calls_hook:
                self.model.on_before_optimizer_step(self.optimizer)
            return loss

        return closure_and_hooks

    def tell_callbacks(self) -> None:
        """Have them see the gradients before these are used."""
        trainer = self.model.trainer
        for callback in trainer.callbacks:
            callback.on_before_optimizer_step(trainer, self.model, self.optimizer)

    def scaled_step(self, closure: Callable[[], Any] | None, options: Any) -> Any:
        """A step with gradients of a scaled loss: where one of them is infinite, it changes nothing."""
        if isinstance(self.optimizer, LBFGS):
            raise SystemExit("LBFGS cannot train with losses that are scaled")
        scaler = self.model.trainer.loss_scaler
        if closure:
            closure()
        unscale(scaler, self.optimizer)
        if self.calls_callbacks:
            self.tell_callbacks()
        if self.calls_hook:
            self.model.on_before_optimizer_step(self.optimizer)
        result = scaler.step(self.optimizer, **options)
        scaler.update()
        return result

    @contextmanager
    def toggle_model(self, sync_grad: bool = True) -> Iterator[None]:
        """Have no others' parameters need gradients, and these be averaged, or not."""
        if self.shares_gradients:
            sync = single_auto_sync(self.model.trainer.shared, sync_grad)
            with sync, self.model.toggled_optimizer(self):
                yield
        else:
            with self.model.toggled_optimizer(self):
                yield

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimizer, name)


class HookedOptimizer(ManualOptimizer):
    """One that calls what the model sets as `_on_before_step`, and `_on_after_step` in the place of counting."""

    def __init__(
        self, optimizer: Any, model: Any, count_step: Callable[[], None]
    ) -> None:
        super().__init__(optimizer, model, lambda: self._on_after_step())
        self.counted = count_step
        self.reset_hooks()

    def reset_hooks(self) -> None:
        """What the model sets is for the training step that it is in."""
        self._on_before_step: Callable[[], Any] = lambda: None
        self._on_after_step: Callable[[], Any] = self.counted

    def step(self, closure: Callable[[], Any] | None = None, **options: Any) -> Any:
        self._on_before_step()
        return super().step(closure, **options)


def toggle(optimizer: Any, trainer: Any) -> None:
    """Have no parameter need gradients but those that this optimizer changes."""
    needed = trainer.toggled = {}
    for each in trainer.optimizers:
        for parameter in optimized_parameters(each):
            needed.setdefault(parameter, parameter.requires_grad)
            parameter.requires_grad = False
    for parameter in optimized_parameters(optimizer):
        parameter.requires_grad = needed[parameter]


def untoggle(optimizer: Any, trainer: Any) -> None:
    """Have the parameters of the other optimizers need gradients as before."""
    for each in trainer.optimizers:
        if each.param_groups is not optimizer.param_groups:
            for parameter in optimized_parameters(each):
                if parameter in trainer.toggled:
                    parameter.requires_grad = trainer.toggled[parameter]
    trainer.toggled = {}


def manual_outputs(output: Any) -> dict[str, Any]:
    """What `on_train_batch_end` is told of a step that returned anything, or nothing."""
    outputs = {"loss": output} if isinstance(output, Tensor) else dict(output or {})
    if "loss" in outputs:
        outputs["loss"] = outputs["loss"].detach()
    return outputs
