"""What a model logs: values of a step, and their reductions over an epoch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torchmetrics import Metric


@dataclass
class EpochMean:
    """A mean over the epoch, weighted by batch size; kept on the device, so that no step waits for it."""

    total: Tensor
    sync: bool  # over all ranks, not this one alone
    weight: int = 0

    def update(self, value: Tensor, batch_size: int) -> None:
        self.total = self.total + value * batch_size
        self.weight += batch_size

    def compute(self) -> Tensor:
        if not self.sync:
            return self.total / self.weight
        weight = torch.tensor(self.weight, device=self.total.device)
        return over_ranks(self.total, "sum") / over_ranks(weight, "sum")


@dataclass
class EpochReduction:
    """The sum, the smallest or the largest of an epoch's values."""

    reduce: str  # sum, min or max
    sync: bool  # over all ranks, not this one alone
    value: Tensor | None = None

    def update(self, value: Tensor, batch_size: int) -> None:
        combine = {"sum": torch.add, "min": torch.minimum, "max": torch.maximum}[self.reduce]
        self.value = value.clone() if self.value is None else combine(self.value, value)

    def compute(self) -> Tensor:
        assert self.value is not None
        return over_ranks(self.value, self.reduce) if self.sync else self.value


def sum_over_ranks(value: Tensor) -> Tensor:
    """`value` summed over the ranks, which log the same names in the same order. Every rank calls this."""
    value = value.clone()
    if dist.is_initialized():
        dist.all_reduce(value)
    return value


def mean_over_ranks(value: Tensor) -> Tensor:
    """`value` averaged over the ranks. Every rank calls this."""
    return sum_over_ranks(value) / (dist.get_world_size() if dist.is_initialized() else 1)


def over_ranks(value: Tensor, reduce: str) -> Tensor:
    """The mean, the sum, the smallest or the largest of the ranks' values. Every rank calls this."""
    if reduce == "mean":
        return mean_over_ranks(value)
    if reduce == "sum":
        return sum_over_ranks(value)
    value = value.clone()
    if dist.is_initialized():
        dist.all_reduce(value, dist.ReduceOp.MIN if reduce == "min" else dist.ReduceOp.MAX)
    return value


def reduction_name(reduce_fx: str | Callable[..., Any]) -> str:
    """mean, sum, min or max, for that name or for torch's function."""
    name = (reduce_fx if isinstance(reduce_fx, str) else reduce_fx.__name__).lower()
    if name not in ("mean", "avg", "sum", "min", "max"):
        raise ValueError(f"self.log() reduces by mean, sum, min or max, not by {name}")
    return "mean" if name == "avg" else name


def new_reduction(reduce: str, value: Tensor, sync: bool) -> EpochMean | EpochReduction:
    """What reduces values like `value` over an epoch."""
    return EpochMean(torch.zeros_like(value), sync) if reduce == "mean" else EpochReduction(reduce, sync)


class Logs:
    """What training, or validation, logs."""

    def __init__(self, on_step: bool, device: torch.device) -> None:
        self.on_step = on_step  # whether log() keeps the step's value or the epoch's mean, unless it is told
        self.device = device
        self.batch_size: int | None = 1  # None between batches, where log() is for the epoch
        self.step_values: dict[str, Tensor] = {}
        self.epoch_values: dict[str, Any] = {}
        self.twofold: set[str] = set()  # logged by step and by epoch, told apart by a suffix
        self.in_bar: set[str] = set()
        self.hidden: set[str] = set()  # logged with logger=False
        self.metrics: dict[str, Metric] = {}
        self.batches_written = 0  # of a validation that logs by step
        self.latest: dict[str, Tensor] = {}  # under every name that a scheduler or the model may look for

    def record(
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
        """Keep `value`: by default the step's in training, the epoch's mean in validation and between batches."""
        in_training_batch = self.on_step and self.batch_size is not None
        by_step = in_training_batch if on_step is None else on_step
        by_epoch = not in_training_batch if on_epoch is None else on_epoch
        if by_step and by_epoch:
            self.twofold.add(name)
        if prog_bar:
            self.in_bar.update({name, f"{name}_step", f"{name}_epoch"})
        if logger is False:
            self.hidden.update({name, f"{name}_step", f"{name}_epoch"})
        if isinstance(value, Metric):
            self.record_metric(name, value, by_step, by_epoch)
            return
        value = self.as_scalar(value)
        sync = sync_dist and not rank_zero_only
        reduce = "mean" if reduce_fx == "mean" else reduction_name(reduce_fx)
        if by_step:
            self.keep_step(name, over_ranks(value, reduce) if sync else value.clone())
        if by_epoch:
            if name not in self.epoch_values:
                self.epoch_values[name] = new_reduction(reduce, value, sync)
            self.epoch_values[name].update(value, batch_size or self.batch_size or 1)

    def as_scalar(self, value: float | Tensor) -> Tensor:
        """`value` without its graph, in single precision or better."""
        if not isinstance(value, Tensor):
            value = torch.tensor(value, dtype=torch.get_default_dtype(), device=self.device)
        value = value.detach().reshape(())
        return value if value.dtype == torch.float64 else value.float()

    def keep_step(self, name: str, value: Tensor) -> None:
        self.step_values[name] = value
        self.latest.update({name: value, f"{name}_step": value})

    def record_metric(self, name: str, metric: Metric, by_step: bool, by_epoch: bool) -> None:
        """Keep a metric object, which reduces over the epoch and the ranks by itself."""
        self.metrics[name] = metric  # reset at the epoch's end
        if by_step and isinstance(metric._forward_cache, Tensor):
            self.keep_step(name, metric._forward_cache.detach())
        if by_epoch:
            self.epoch_values[name] = metric

    def step_metrics(self) -> dict[str, Tensor]:
        """The last values of what is logged by step."""
        metrics = {
            f"{name}_step" if name in self.twofold else name: value for name, value in self.step_values.items()
        }
        for name in self.hidden:
            metrics.pop(name, None)
        return metrics

    def end_epoch(self) -> dict[str, Tensor]:
        """The epoch's values; the next epoch starts afresh. Every rank calls this."""
        values = {name: logged.compute() for name, logged in self.epoch_values.items()}
        metrics = {f"{name}_epoch" if name in self.twofold else name: value for name, value in values.items()}
        self.latest.update(values | metrics)
        for name in self.hidden:
            metrics.pop(name, None)
        for metric in self.metrics.values():
            metric.reset()
        self.step_values, self.epoch_values = {}, {}
        return metrics

    def bar_values(self, metrics: dict[str, Tensor]) -> dict[str, str]:
        """Those of `metrics` that the progress bar shows."""
        return {name: f"{value.item():.4g}" for name, value in metrics.items() if name in self.in_bar}
