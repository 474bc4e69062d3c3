"""What `configure_optimizers` returns, read at run time, and the steps of its schedulers."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import LBFGS, SGD, Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from ..distributed.ranks import Ranks
from .precision import unscale


def optimized_parameters(optimizer: Optimizer) -> list[nn.Parameter]:
    """Every parameter that the optimizer changes."""
    return [
        parameter for group in optimizer.param_groups for parameter in group["params"]
    ]


def single_or_list(values: list[Any]) -> Any:
    """The only one, or the list of several."""
    return values[0] if len(values) == 1 else values


def clip(optimizer: Optimizer, value: float | None, algorithm: str | None) -> None:
    """Clip the gradients of the optimizer's parameters, by their norm or each by its value."""
    if value is None or value <= 0:
        return
    parameters = optimized_parameters(optimizer)
    if (algorithm or "norm").lower() == "value":
        nn.utils.clip_grad_value_(parameters, value)
    else:
        nn.utils.clip_grad_norm_(parameters, value)


def use_fused(optimizer: Optimizer) -> None:
    """Have the optimizer update all parameters in one kernel; its rounding differs from the default's."""
    for group in optimizer.param_groups:
        group.update(fused=True, foreach=False)


class PreparedOptimizer:
    """An optimizer whose steps prepare the gradients, once the closure has made them."""

    def __init__(self, optimizer: Any, prepare_gradients: Callable[[], None]) -> None:
        self.optimizer = optimizer
        self.prepare_gradients = prepare_gradients

    def step(self, closure: Callable[[], Any] | None = None, **options: Any) -> Any:
        def prepared_closure() -> Any:
            loss = closure() if closure else None
            self.prepare_gradients()
            return loss

        return self.optimizer.step(closure=prepared_closure, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimizer, name)


class ScaledOptimizer(PreparedOptimizer):
    """An optimizer whose steps unscale the gradients, and change nothing where one of them is infinite."""

    def __init__(
        self, optimizer: Any, prepare_gradients: Callable[[], None], scaler: Any
    ) -> None:
        super().__init__(optimizer, prepare_gradients)
        self.scaler = scaler

    def step(self, closure: Callable[[], Any] | None = None, **options: Any) -> Any:
        if not self.scaler.is_enabled():
            return super().step(closure, **options)
        if isinstance(self.optimizer, LBFGS):
            raise SystemExit("LBFGS cannot train with losses that are scaled")
        loss = closure() if closure else None
        if loss is None:  # there are no gradients
            self.prepare_gradients()
            return None
        unscale(self.scaler, self.optimizer)
        self.prepare_gradients()
        result = self.scaler.step(self.optimizer, **options)
        self.scaler.update()
        return result


def loss_of(output: Any, ranks: Ranks) -> Tensor | None:
    """The loss in what `training_step` returned: a tensor, a dict with `loss`, or None to skip the batch."""
    loss: Tensor | None = output["loss"] if isinstance(output, dict) else output
    if loss is None and ranks.world_size > 1:
        raise RuntimeError(
            "training_step returned None: with several ranks every one must return a loss"
        )
    return loss


@dataclass
class Schedule:
    """A learning-rate scheduler, and when it steps."""

    scheduler: Any
    interval: str = "epoch"  # or step
    frequency: int = 1
    monitor: str | None = None
    strict: bool = True  # a metric that is missing is an error
    reduce_on_plateau: bool | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.interval not in ("step", "epoch"):
            raise ValueError("a scheduler's interval is 'step' or 'epoch'")
        if self.reduce_on_plateau is None:
            self.reduce_on_plateau = isinstance(self.scheduler, ReduceLROnPlateau)
        if self.reduce_on_plateau and self.monitor is None:
            raise ValueError("a scheduler that reduces on plateau needs a `monitor`")

    def is_due(self, interval: str, index: int) -> bool:
        """Whether the scheduler steps after batch or epoch `index`."""
        return self.interval == interval and (index + 1) % self.frequency == 0


def read_optimizers(configured: Any) -> tuple[Optimizer, list[Schedule]]:
    """The one optimizer and its schedules, out of any form that `configure_optimizers` may return."""
    if configured is None:
        return SGD([torch.zeros(1)], lr=0.0), []  # nothing is trained
    if isinstance(configured, list | tuple) and all(
        isinstance(item, dict) for item in configured
    ):
        (configured,) = configured
    if isinstance(configured, dict):
        schedulers = (
            [configured["lr_scheduler"]] if "lr_scheduler" in configured else []
        )
        monitor = configured.get("monitor")
        return configured["optimizer"], [
            as_schedule(scheduler, monitor) for scheduler in schedulers
        ]
    if isinstance(configured, Optimizer):
        return configured, []
    if len(configured) == 2 and isinstance(configured[0], list):
        (optimizer,), schedulers = configured
        schedulers = schedulers if isinstance(schedulers, list) else [schedulers]
        return optimizer, [as_schedule(scheduler, None) for scheduler in schedulers]
    (optimizer,) = configured
    return optimizer, []


def as_schedule(scheduler: Any, monitor: str | None) -> Schedule:
    """A scheduler, or a dict with one and when it steps; its other entries are left out."""
    if isinstance(scheduler, dict):
        known = {option.name for option in fields(Schedule)}
        return Schedule(**{key: scheduler[key] for key in scheduler.keys() & known})
    return Schedule(
        scheduler, monitor=monitor if isinstance(scheduler, ReduceLROnPlateau) else None
    )


def step_scheduler(scheduler: Any, metric: Tensor | None) -> None:
    if metric is None:
        scheduler.step()
    else:
        scheduler.step(metric)


def step_schedules(
    schedules: list[Schedule],
    interval: str,
    index: int,
    take_step: Callable[[Any, Tensor | None], None],
) -> None:
    """Step those schedulers that are due and watch no metric."""
    for schedule in schedules:
        if schedule.is_due(interval, index) and not schedule.reduce_on_plateau:
            take_step(schedule.scheduler, None)


def step_on_plateau(
    schedules: list[Schedule],
    interval: str,
    index: int,
    metrics: dict[str, Tensor],
    take_step: Callable[[Any, Tensor | None], None],
) -> None:
    """Step those schedulers that are due and watch a metric."""
    for schedule in schedules:
        if schedule.is_due(interval, index) and schedule.reduce_on_plateau:
            assert schedule.monitor is not None
            if schedule.strict or schedule.monitor in metrics:
                take_step(schedule.scheduler, monitored(metrics, schedule.monitor))


def monitored(metrics: dict[str, Tensor], name: str) -> Tensor:
    """The value that a scheduler watches."""
    if name not in metrics:
        raise KeyError(
            f"the scheduler monitors {name!r}, but what was logged is {', '.join(sorted(metrics))}"
        )
    return metrics[name]


def taken(
    step: Callable[..., Any], batch: Any, batch_idx: int
) -> tuple[Any] | tuple[Any, int]:
    """What a step is given: a batch's number too, if it takes that."""
    parameters = inspect.signature(step).parameters.values()
    by_place = [each for each in parameters if each.kind <= each.VAR_POSITIONAL]
    takes = len(by_place) > 1 or any(
        each.name == "batch_idx" or each.kind == each.VAR_POSITIONAL
        for each in by_place
    )
    return (batch, batch_idx) if takes else (batch,)


def step_outputs(output: Any, loss: Tensor | None) -> dict[str, Any]:
    """What `on_train_batch_end` is told of the step."""
    if loss is None:
        return {}
    return {**(output if isinstance(output, dict) else {}), "loss": loss.detach()}
