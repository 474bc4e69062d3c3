"""What a model logs: values of a step, and their reductions over an epoch."""

import operator
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor import DTensor
from torchmetrics import Metric

from ..data.data import batch_size_of


@dataclass
class EpochReduction:
    """The sum, the smallest or the largest of an epoch's values."""

    reduce: str
    sync: bool = False  # over all ranks, not this one alone
    value: Tensor | None = None

    def begin(self, dtype: torch.dtype) -> None:
        first = {"sum": 0.0, "min": float("inf"), "max": float("-inf")}
        self.value = torch.tensor(first[self.reduce], dtype=dtype)

    def update(self, value: Tensor) -> None:
        functions: dict[str, Callable[[Tensor, Tensor], Tensor]]
        functions = {"sum": torch.add, "min": torch.minimum, "max": torch.maximum}
        combine = functions[self.reduce]
        self.value = value.clone() if self.value is None else combine(self.value, value)

    def compute(self) -> Tensor:
        assert self.value is not None
        return over_ranks(self.value, self.reduce) if self.sync else self.value


def sum_over_ranks(value: Tensor) -> Tensor:
    """Every rank calls this, with the same names logged in the same order."""
    if dist.is_initialized():
        dist.all_reduce(value := value.clone())
    return value


def mean_over_ranks(value: Tensor) -> Tensor:
    """Every rank calls this, with the same names logged in the same order."""
    ranks = dist.get_world_size() if dist.is_initialized() else 1
    return sum_over_ranks(value) / ranks


def over_ranks(value: Tensor, reduce: str) -> Tensor:
    """The mean, sum, min or max of the ranks' values. Every rank calls this."""
    if reduce in ("mean", "sum"):
        return mean_over_ranks(value) if reduce == "mean" else sum_over_ranks(value)
    if dist.is_initialized():
        operation = dist.ReduceOp.MIN if reduce == "min" else dist.ReduceOp.MAX
        dist.all_reduce(value := value.clone(), operation)
    return value


def reduction_name(reduce_fx: str | Callable[..., Any]) -> str:
    """mean, sum, min or max, for that name or for torch's function."""
    name = (reduce_fx if isinstance(reduce_fx, str) else reduce_fx.__name__).lower()
    if name not in ("mean", "avg", "sum", "min", "max"):
        raise ValueError(f"self.log() reduces by mean, sum, min or max, not by {name}")
    return "mean" if name == "avg" else name


def forwarded(metric: Metric) -> Any:
    """What the metric's last `forward` gave for its batch; None: nothing, or not a single value."""
    value: Any = metric._forward_cache
    return value.detach() if isinstance(value, Tensor) else None


def default_float() -> torch.dtype:
    """The type of new tensors, single precision at least."""
    return torch.promote_types(torch.get_default_dtype(), torch.float32)


class Logs:
    """What training, or validation, logs."""

    keeps_steps = True  # some call is for the step
    keeps_epochs = True  # some call is for the epoch
    forks = True  # some call is for both
    syncs_steps = True
    may_change = True  # in place, what was logged for a step
    may_be_double = True  # what an epoch's values are reduced in
    is_read = True  # before the epoch's end
    hides = True  # some call is not for the loggers
    keeps_objects = True  # some call is of a metric, or for another value than the mean
    replaces = True  # a name is logged both for a batch and between batches
    hides_some = True  # of what is logged under a name
    shows_some = True
    syncs_some = True

    def __init__(self, training: bool, device: torch.device) -> None:
        self.training = training
        self.device = device
        self.batch_size: int | None = None  # None between batches
        self.batch: Any = None  # None between batches; means ask for its size
        self.step_values: dict[str, Tensor] = {}
        self.epoch_values: dict[str, Any] = {}  # of means total and weight
        self.synced: set[str] = set()  # over all ranks
        self.in_bar: set[str] = set()
        self.hidden: set[str] = set()  # logged with logger=False
        self.metrics: dict[str, Metric] = {}
        self.batches_written = 0
        self.written_of: dict[int, int] = defaultdict(int)  # batches, by their loader
        self.latest: dict[str, Tensor] = {}  # for schedulers and the model to look up
        self.logged: dict[str, Tensor] = {}  # the same, as loggers are told it
        self.shown: dict[str, float] = {}  # the same, as a progress bar is
        self.bare_names: dict[str, str] = {}
        self.computed: dict[str, Tensor] = {}  # what no later log() has changed
        self.dataloader_idx: int | None = None  # None: there is but one loader
        self.loader_of: dict[str, int | None] = {}
        self.logged_between: dict[str, bool] = {}  # batches, not for one
        self.first_between: dict[str, bool] = {}  # the same, of when a name came up
        self.is_trial = False  # of several loaders, before training

    def __call__(
        self,
        name: str,
        value: Any,
        prog_bar: bool = False,
        logger: bool | None = None,
        on_step: bool | None = None,
        on_epoch: bool | None = None,
        reduce_fx: str | Callable[..., Any] = "mean",
        enable_graph: bool = False,
        sync_dist: bool = False,
        sync_dist_group: Any = None,
        add_dataloader_idx: bool = True,
        batch_size: int | None = None,
        metric_attribute: str | None = None,
        rank_zero_only: bool = False,
    ) -> None:
        """By default keep the step's value in training, the epoch's mean elsewhere."""
        in_step = self.training and (
            self.batch_size is not None or self.batch is not None
        )
        by_step = self.keeps_steps and (in_step if on_step is None else on_step)
        by_epoch = self.keeps_epochs and (
            not self.keeps_steps or (not in_step if on_epoch is None else on_epoch)
        )
        twofold = self.forks and by_step and by_epoch
        step_name = f"{name}_step" if twofold else name
        epoch_name = f"{name}_epoch" if twofold else name
        if self.dataloader_idx is not None and add_dataloader_idx:
            suffix = f"/dataloader_idx_{self.dataloader_idx}"
            name, step_name, epoch_name = (
                each + suffix for each in (name, step_name, epoch_name)
            )
        is_outdone = self.replaces and by_epoch and self.is_outdone(name)
        if is_outdone and not twofold:
            return
        if self.replaces and by_epoch and not is_outdone:
            self.replace(name, epoch_name)
        if by_epoch:
            self.loader_of[epoch_name] = self.dataloader_idx
        if twofold and not is_outdone:
            self.bare_names[epoch_name] = name
        if self.shows_some:
            self.in_bar -= {step_name, epoch_name}
        if self.hides_some:
            self.hidden -= {step_name, epoch_name}
        if prog_bar:
            self.in_bar.update({step_name, epoch_name})
        if logger is False:
            self.hidden.update({step_name, epoch_name})
        sync = sync_dist and not rank_zero_only
        reduce = "mean" if reduce_fx == "mean" else reduction_name(reduce_fx)
        if isinstance(value, Metric):
            self.metrics[name] = value
        else:
            value = self.as_scalar(value)
        if by_step and not (isinstance(value, Metric) and forwarded(value) is None):
            if isinstance(value, Metric):
                self.step_values[step_name] = forwarded(value)
            elif sync and self.syncs_steps:
                self.step_values[step_name] = over_ranks(value.clone(), reduce)
            else:
                self.step_values[step_name] = (
                    value.clone() if self.may_change else value
                )
            if in_step:
                self.latest[name] = self.step_values[step_name]
                self.latest[step_name] = self.step_values[step_name]
            if logger is not False:
                self.logged[step_name] = self.step_values[step_name]
            if prog_bar:
                self.shown[step_name] = self.step_values[step_name].item()
        if by_epoch:
            self.computed.pop(epoch_name, None)
            if isinstance(value, Metric):
                self.epoch_values[epoch_name] = value
            elif reduce == "mean":
                self.add_to_mean(epoch_name, value, batch_size=batch_size, sync=sync)
            else:
                self.add_to_reduction(epoch_name, value, reduce, sync=sync)

    def is_between_batches(self) -> bool:
        """Whether no batch is at hand."""
        return self.batch_size is None and self.batch is None

    def is_outdone(self, name: str) -> bool:
        """Whether another value counts for the epoch: of a batch's and one between batches, that which began later."""
        between = self.is_between_batches()
        is_first = self.first_between.setdefault(name, between) is between
        return is_first and self.logged_between.get(name, between) is not between

    def replace(self, name: str, epoch_name: str) -> None:
        """Begin the epoch's value anew, if what was logged under its name until now does not count."""
        between = self.is_between_batches()
        if epoch_name == name:  # not that of steps is called so, then
            self.bare_names = {
                long: bare for long, bare in self.bare_names.items() if bare != name
            }
        if self.logged_between.get(name, between) is not between:
            self.epoch_values[epoch_name] = None
        self.logged_between[name] = between

    def as_scalar(self, value: Any) -> Tensor:
        """A value to log: without dimensions, in single or double precision."""
        if isinstance(value, DTensor):
            value = value.full_tensor()  # by every rank, in the same order
        if getattr(value, "dtype", None) not in (torch.float32, torch.float64):
            dtype = default_float()
            value = torch.as_tensor(value, dtype=dtype, device=self.device)
        scalar: Tensor = value.detach()
        return scalar.reshape(()) if scalar.ndim else scalar

    def add_to_mean(
        self,
        name: str,
        value: Tensor,
        batch_size: int | None = None,
        sync: bool = False,
    ) -> None:
        """Count the value for its epoch, with the weight of its batch."""
        size = self.batch_size or 1
        if batch_size is not None:
            size = batch_size
        elif self.batch is not None:
            size = batch_size_of(self.batch)
        total, weight = self.epoch_values.get(name) or (0.0, 0)
        if self.may_be_double and self.epoch_values.get(name) is None:
            total = torch.zeros_like(value, dtype=default_float())
        add: Any = operator.iadd if value.dtype == torch.float32 else operator.add
        total = add(total, value * size)  # in place if the dtype stays
        self.epoch_values[name] = total, weight + size
        if sync:
            self.synced.add(name)
        elif self.syncs_some:
            self.synced.discard(name)

    def add_to_reduction(
        self, name: str, value: Tensor, reduce: str, sync: bool = False
    ) -> None:
        """Count the value for its epoch, of which the sum, the smallest or the largest is asked."""
        if self.epoch_values.get(name) is None:
            self.epoch_values[name] = EpochReduction(reduce, sync=sync)
            if self.may_be_double:
                self.epoch_values[name].begin(default_float())
        self.epoch_values[name].update(value)

    def written(self, metrics: dict[str, Tensor]) -> dict[str, Tensor]:
        """Those of `metrics` that are for the loggers."""
        return {
            name: value for name, value in metrics.items() if name not in self.hidden
        }

    def end_epoch(self) -> dict[str, Tensor]:
        """The epoch's values; the next starts afresh. Every rank calls this."""
        metrics = (
            dict(self.compute())
            if self.is_read
            else {name: self.epoch_value(name) for name in self.epoch_values}
        )
        if self.is_trial:
            metrics = self.of_loader(metrics, None)
        self.latest.update(self.by_both_names(metrics) if self.forks else metrics)
        self.logged.update(self.written(metrics) if self.hides else metrics)
        self.shown.update(self.bar_values(metrics))
        for metric in self.metrics.values():
            metric.reset()
        self.step_values = {}
        self.epoch_values = {}
        self.computed = {}
        self.logged_between = {}
        return metrics

    def compute(self) -> dict[str, Tensor]:
        """The epoch's values so far, each computed once. Every rank calls this."""
        for name in self.epoch_values:
            if name not in self.computed:
                self.computed[name] = self.epoch_value(name)
        return self.computed

    def epoch_value(self, name: str) -> Tensor:
        """By default the mean, weighted by batch size. Every rank calls this."""
        kept = self.epoch_values[name]
        if self.keeps_objects and not isinstance(kept, tuple):
            value: Tensor = kept.compute()
            return value
        total, weight = kept[0], torch.tensor(kept[1], device=kept[0].device)
        if name in self.synced and dist.is_initialized():  # in the same order
            dist.all_reduce(total := total.clone())
            dist.all_reduce(weight)
        return torch.div(total, weight)

    def end_loader(self) -> None:
        """Tell what was logged of a loader, unless this is but a trial. Every rank calls this."""
        metrics = self.of_loader(self.compute(), self.dataloader_idx)
        if not self.is_trial:
            self.latest.update(self.by_both_names(metrics) if self.forks else metrics)
            self.logged.update(self.written(metrics) if self.hides else metrics)
            self.shown.update(self.bar_values(metrics))

    def of_loader(
        self, metrics: dict[str, Tensor], index: int | None
    ) -> dict[str, Tensor]:
        """The values of one loader; None: those of no single one."""
        return {
            name: value
            for name, value in metrics.items()
            if self.loader_of[name] == index
        }

    def by_loader(
        self, metrics: dict[str, Tensor], count: int
    ) -> list[dict[str, float]]:
        """The values of each of `count` loaders, and those of none with all of them."""
        return [
            {
                name: value.item()
                for name, value in metrics.items()
                if self.loader_of[name] in (None, index)
            }
            for index in range(count)
        ]

    def callback_metrics(self) -> dict[str, Tensor]:
        """The latest values: within a batch those of steps, between batches those of the epoch so far too."""
        if self.batch_size is None and self.batch is None:
            metrics = self.compute()
            if self.is_trial:
                metrics = self.of_loader(metrics, None)
            self.latest.update(self.by_both_names(metrics) if self.forks else metrics)
            self.logged.update(self.written(metrics) if self.hides else metrics)
            self.shown.update(self.bar_values(metrics))
        return self.latest

    def logged_metrics(self) -> dict[str, Tensor]:
        """The same, as loggers are told it."""
        self.callback_metrics()
        return self.logged

    def progress_bar_metrics(self) -> dict[str, float]:
        """The same, as a progress bar is told it."""
        self.callback_metrics()
        return self.shown

    def by_both_names(self, metrics: dict[str, Tensor]) -> dict[str, Tensor]:
        """The values, those of `loss_epoch` as `loss` too."""
        return {
            each: value
            for name, value in metrics.items()
            for each in (self.bare_names.get(name, name), name)
        }

    def bar_values(self, metrics: dict[str, Tensor]) -> dict[str, float]:
        """Those of `metrics` that the progress bar shows."""
        return {name: v.item() for name, v in metrics.items() if name in self.in_bar}
