"""Callbacks: the hooks that one may have, decisions that all ranks share, and the smaller of Lightning's own."""

import os
import re
import time
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.optim import Optimizer

from ..checkpoints.checkpoint_io import has_checkpoint_io


class Callback:
    """What `fit` calls beside the model's own hooks."""

    log: Any  # the model's
    log_dict: Any

    @property
    def state_key(self) -> str:
        """Under which a checkpoint keeps the callback's state."""
        return type(self).__qualname__

    def _generate_state_key(self, **values: Any) -> str:
        return f"{type(self).__qualname__}{values!r}"

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None: ...
    def on_save_checkpoint(
        self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]
    ) -> None: ...
    def on_load_checkpoint(
        self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]
    ) -> None: ...
    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None: ...
    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None: ...
    def on_fit_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_fit_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_exception(
        self, trainer: Any, pl_module: Any, exception: BaseException
    ) -> None: ...
    def on_sanity_check_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_sanity_check_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_train_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_train_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None: ...
    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None: ...
    def on_validation_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_validation_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_validation_batch_start(
        self,
        trainer: Any,
        pl_module: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_validation_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_test_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_test_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_test_epoch_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_test_batch_start(
        self,
        trainer: Any,
        pl_module: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_test_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_predict_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_predict_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_predict_epoch_start(self, trainer: Any, pl_module: Any) -> None: ...
    def on_predict_epoch_end(self, trainer: Any, pl_module: Any) -> None: ...
    def on_predict_batch_start(
        self,
        trainer: Any,
        pl_module: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_predict_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None: ...
    def on_before_zero_grad(
        self, trainer: Any, pl_module: Any, optimizer: Optimizer
    ) -> None: ...
    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None: ...
    def on_after_backward(self, trainer: Any, pl_module: Any) -> None: ...
    def on_before_optimizer_step(
        self, trainer: Any, pl_module: Any, optimizer: Optimizer
    ) -> None: ...


class LambdaCallback(Callback):
    """A callback whose hooks are functions that it is given."""

    def __init__(self, **hooks: Any) -> None:
        vars(self).update(
            {name: hook for name, hook in hooks.items() if hook is not None}
        )


class Checkpoint(Callback):
    """A callback that saves: it comes after all others."""


@dataclass(eq=False)
class OnExceptionCheckpoint(Checkpoint):
    """Saves a checkpoint when a run fails."""

    dirpath: str | os.PathLike[str]
    filename: str = "on_exception"

    FILE_EXTENSION = ".ckpt"

    def __post_init__(self) -> None:
        if not self.filename:
            raise ValueError("the filename cannot be empty")

    @property
    def ckpt_path(self) -> str:
        return os.path.join(self.dirpath, self.filename + self.FILE_EXTENSION)

    def on_exception(
        self, trainer: Any, pl_module: Any, exception: BaseException
    ) -> None:
        """Save. The other ranks may not have failed."""
        trainer.save_checkpoint(self.ckpt_path)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Remove what an earlier run has left."""
        if has_checkpoint_io():
            if trainer.global_rank == 0:
                trainer.checkpoint_io.remove_checkpoint(self.ckpt_path)
        elif trainer.global_rank == 0:
            Path(self.ckpt_path).unlink(missing_ok=True)


def checkpoints_last(callbacks: Any) -> list[Any]:
    """One callback, several or none as a list, those that save at its end."""
    found = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or [])
    return sorted(found, key=lambda callback: isinstance(callback, Checkpoint))


def with_model_callbacks(callbacks: list[Any], own: Any) -> list[Any]:
    """The model's own callbacks with the trainer's, but for those whose kind the model has too."""
    added = checkpoints_last(own)
    replaced = [
        kind
        for kind in {type(callback) for callback in callbacks} - {Callback}
        if any(isinstance(callback, kind) for callback in added)
    ]
    kept = [callback for callback in callbacks if type(callback) not in replaced]
    return checkpoints_last([*kept, *added])


def require_own_states(callbacks: list[Any]) -> None:
    """Raises RuntimeError where two callbacks would keep their states under one key."""
    keeping = (
        each for each in callbacks if type(each).state_dict is not Callback.state_dict
    )
    for key, count in Counter(each.state_key for each in keeping).items():
        if count > 1:
            raise RuntimeError(f"{count} callbacks would keep their states as {key}")


def callback_states(callbacks: list[Any]) -> dict[str, Any]:
    """What callbacks keep in a checkpoint, by their keys."""
    return {each.state_key: state for each in callbacks if (state := each.state_dict())}


def load_callback_states(callbacks: list[Any], states: dict[str, Any]) -> None:
    """Hand back to callbacks what `callback_states` took."""
    for callback in callbacks:
        if callback.state_key in states:
            callback.load_state_dict(deepcopy(states[callback.state_key]))


# ---- decisions -------------------------------------------------------------------------------------------


def any_rank(decision: bool) -> bool:
    """Whether at least one rank says so. Every rank calls this."""
    if not dist.is_initialized():
        return decision
    device = {"nccl": "cuda", "xccl": "xpu"}.get(dist.get_backend(), "cpu")
    votes = torch.tensor(int(decision), device=device)
    dist.all_reduce(votes)
    return votes.item() > 0


def every_rank(decision: bool) -> bool:
    """Whether all ranks say so. Every rank calls this."""
    return not any_rank(not decision)


def from_rank_zero(value: Any) -> Any:
    """Rank 0's `value`. Every rank calls this."""
    values = [value]
    if dist.is_initialized():
        dist.broadcast_object_list(values)
    return values[0]


# ---- learning rates --------------------------------------------------------------------------------------


@dataclass(eq=False)
class LearningRateMonitor(Callback):
    """Logs the learning rates of all optimizers."""

    logging_interval: str | None = None  # step or epoch; None: as each scheduler steps
    log_momentum: bool = False
    log_weight_decay: bool = False

    keeps_values = True  # some code reads `lrs` and its like
    has_one_optimizer = False  # without a name, and logged at each `logging_interval`
    has_one_group = False  # of that optimizer's parameters

    def __post_init__(self) -> None:
        if self.logging_interval not in (None, "step", "epoch"):
            raise ValueError("logging_interval is 'step', 'epoch' or None")
        if self.keeps_values:
            self.lrs: dict[str, list[float]] = {}
            self.last_momentum_values: dict[str, float | None] = {}
            self.last_weight_decay_values: dict[str, float | None] = {}

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start without values."""
        if self.keeps_values:
            self.lrs = {}
            for named in named_optimizers(trainer):
                for group_name in group_names(named.name, named.optimizer):
                    self.lrs[group_name] = []
                    self.last_momentum_values[f"{group_name}-momentum"] = None
                    self.last_weight_decay_values[f"{group_name}-weight_decay"] = None

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """Log what changes by the step, in steps whose metrics are logged."""
        every = trainer.log_every_n_steps
        if self.logging_interval == "epoch" or every == 0:
            return
        if (trainer.logged_step + 1) % every == 0 or trainer.should_stop:
            self.log_values(trainer, pl_module.device, "step")

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Log what changes by the epoch."""
        if self.logging_interval != "step":
            self.log_values(trainer, pl_module.device, "epoch")

    def log_values(self, trainer: Any, device: torch.device, interval: str) -> None:
        """Log the values of all optimizers, or of those whose schedulers step now."""
        if self.has_one_optimizer:
            optimizer = trainer.optimizers[0]
            name = f"lr-{type(optimizer).__name__}"
            if self.has_one_group:
                values = self.group_stats(optimizer, optimizer.param_groups[0], name)
            else:
                names = group_names(name, optimizer)
                values = self._get_optimizer_stats(optimizer, names)
        else:
            values = {}
            for named in named_optimizers(trainer):
                names = group_names(named.name, named.optimizer)
                if self.keeps_values:
                    self.follow(names)
                if self.logging_interval or named.steps_at in (interval, "any"):
                    values |= self._get_optimizer_stats(named.optimizer, names)
        metrics = trainer.callback_metrics
        for label, value in values.items():
            metrics[label] = torch.tensor(value, device=device)
        for logger in trainer.loggers if values else []:
            logger.log_metrics(values, trainer.logged_step)

    def follow(self, names: list[str]) -> None:
        """Go on with a group's values under the name that it got when a second one joined it."""
        for name in names:
            former = name.replace("/pg1", "")
            if former != name and former in self.lrs:
                self.lrs[name] = self.lrs.pop(former)
            self.lrs.setdefault(name, [])

    def _get_optimizer_stats(
        self, optimizer: Optimizer, names: list[str]
    ) -> dict[str, float]:
        """What is to be logged of each of the optimizer's parameter groups."""
        values: dict[str, float] = {}
        for name, group in zip(names, optimizer.param_groups, strict=True):
            values |= self.group_stats(optimizer, group, name)
        return values

    def group_stats(
        self, optimizer: Optimizer, group: dict[str, Any], name: str
    ) -> dict[str, float]:
        """What is to be logged of one group."""
        values = self._extract_lr(group, name)
        if self.log_momentum:
            has_betas = "betas" in optimizer.defaults
            values |= self._extract_momentum(group, f"{name}-momentum", has_betas)
        if self.log_weight_decay:
            values |= self._extract_weight_decay(group, f"{name}-weight_decay")
        return values

    def _extract_lr(self, param_group: dict[str, Any], name: str) -> dict[str, float]:
        """The learning rate of one group."""
        if self.keeps_values:
            self.lrs[name].append(param_group["lr"])
        return {name: param_group["lr"]}

    def _extract_momentum(
        self, param_group: dict[str, Any], name: str, use_betas: bool
    ) -> dict[str, float]:
        """The momentum of one group, where that is to be logged."""
        if not self.log_momentum:
            return {}
        value = param_group["betas"][0] if use_betas else param_group.get("momentum", 0)
        if self.keeps_values:
            self.last_momentum_values[name] = value
        return {name: value}

    def _extract_weight_decay(
        self, param_group: dict[str, Any], name: str
    ) -> dict[str, float]:
        """The weight decay of one group, where that is to be logged."""
        if not self.log_weight_decay:
            return {}
        if self.keeps_values:
            self.last_weight_decay_values[name] = param_group["weight_decay"]
        return {name: param_group["weight_decay"]}


class NamedOptimizer(NamedTuple):
    """An optimizer as LearningRateMonitor calls it."""

    name: str
    steps_at: str  # the interval of its scheduler
    optimizer: Optimizer


def named_optimizers(trainer: Any) -> list[NamedOptimizer]:
    """The optimizers of schedulers, and those without."""
    found = [
        (schedule.name, schedule.interval, schedule.scheduler.optimizer)
        for schedule in trainer.lr_scheduler_configs
    ]
    scheduled = [optimizer for _, _, optimizer in found]
    # an optimizer that holds another goes by the name of that
    held = [getattr(each, "optimizer", each) for each in trainer.optimizers]
    found += [(None, "any", each) for each in held if each not in scheduled]
    counts: Counter[type] = Counter()
    named = []
    for name, interval, optimizer in found:
        kind = type(optimizer)
        counts[kind] += name is None
        base = f"lr-{kind.__name__}" if name is None else name
        number = counts[kind] - 1  # the first of a kind has none
        name = f"{base}-{number}" if number > 0 else base
        named.append(NamedOptimizer(name, interval, optimizer))
    return named


def group_names(name: str, optimizer: Optimizer) -> list[str]:
    """The names of the optimizer's parameter groups."""
    groups = optimizer.param_groups
    if len(groups) == 1 and not groups[0].get("name"):
        return [name]
    parts = [group.get("name", f"pg{i}") for i, group in enumerate(groups, 1)]
    if len(set(parts)) < len(parts):
        raise ValueError(f"two parameter groups of {name} have the same name")
    return [f"{name}/{part}" for part in parts]


# ---- accumulation ----------------------------------------------------------------------------------------


class GradientAccumulationScheduler(Callback):
    """Changes the number of batches to an optimizer step, from given epochs on."""

    def __init__(self, scheduling: dict[int, int]) -> None:
        if not scheduling or min(scheduling) < 0 or min(scheduling.values()) < 1:
            raise ValueError(f"not epochs and numbers of batches: {scheduling}")
        self.scheduling = {0: 1, **scheduling}

    def get_accumulate_grad_batches(self, epoch: int) -> int:
        """The number of batches to a step in this epoch."""
        return self.scheduling[max(e for e in self.scheduling if e <= epoch)]

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Refuse what the schedule would override."""
        if trainer.accumulate_grad_batches != 1:
            raise ValueError("accumulate_grad_batches is set, and scheduled as well")

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Set this epoch's number."""
        epoch = trainer.current_epoch
        trainer.accumulate_grad_batches = self.get_accumulate_grad_batches(epoch)


# ---- time ------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Timer(Callback):
    """Measures time, and stops training when a given time is over."""

    duration: timedelta | str | dict[str, int] | None = None  # a str is DD:HH:MM:SS
    interval: str = "step"  # or epoch: when the time is looked at
    verbose: bool = True

    def __post_init__(self) -> None:
        if self.interval not in ("step", "epoch"):
            raise ValueError("the interval is 'step' or 'epoch'")
        self.seconds = None if self.duration is None else in_seconds(self.duration)
        self.offset = 0.0  # what a resumed run had used
        self.started: dict[str, float] = {}
        self.ended: dict[str, float] = {}

    def start_time(self, stage: str = "train") -> float | None:
        """When a stage began."""
        return self.started.get(stage)

    def end_time(self, stage: str = "train") -> float | None:
        """When a stage ended."""
        return self.ended.get(stage)

    def time_elapsed(self, stage: str = "train") -> float:
        """The seconds that a stage has taken."""
        offset = self.offset if stage == "train" else 0
        if stage not in self.started:
            return offset
        end = self.ended.get(stage, time.monotonic())
        return end - self.started[stage] + offset

    def time_remaining(self, stage: str = "train") -> float | None:
        """The seconds that are left."""
        return None if self.seconds is None else self.seconds - self.time_elapsed(stage)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Stop a resumed run whose time is over."""
        self.stop_in_time(trainer)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Look at the time, unless that waits for the epoch's end."""
        if self.interval == "step":
            self.stop_in_time(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Look at the time, unless that was done after the batch."""
        if self.interval == "epoch":
            self.stop_in_time(trainer)

    def stop_in_time(self, trainer: Any) -> None:
        """Stop when rank 0 has no time left. Every rank calls this."""
        left = self.time_remaining()
        if left is None or not any_rank(trainer.global_rank == 0 and left <= 0):
            return
        trainer.should_stop = True
        if self.verbose and trainer.global_rank == 0:
            elapsed = timedelta(seconds=int(self.time_elapsed()))
            print(f"Time limit reached after {elapsed}: stopping.")

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.started["train"] = time.monotonic()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.ended["train"] = time.monotonic()

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self.started["validate"] = time.monotonic()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self.ended["validate"] = time.monotonic()

    def on_test_start(self, trainer: Any, pl_module: Any) -> None:
        self.started["test"] = time.monotonic()

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        self.ended["test"] = time.monotonic()

    def state_dict(self) -> dict[str, Any]:
        """The time used so far."""
        stages = ("train", "sanity_check", "validate", "test", "predict")
        return {"time_elapsed": {stage: self.time_elapsed(stage) for stage in stages}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on counting."""
        self.offset = state_dict.get("time_elapsed", {}).get("train", 0)


def with_timer(callbacks: list[Any], max_time: Any) -> list[Any]:
    """The callbacks, with one that stops training when its time is over, unless one measures it."""
    if max_time is None or any(isinstance(callback, Timer) for callback in callbacks):
        return callbacks
    return checkpoints_last([*callbacks, Timer(max_time)])


def in_seconds(duration: timedelta | str | dict[str, int]) -> float:
    """A duration, for one of the forms in which `Timer` takes it."""
    if isinstance(duration, str):
        match = re.fullmatch(r"(\d+):(\d\d):(\d\d):(\d\d)", duration.strip())
        if match is None:
            raise ValueError(f"{duration!r} is not of the form DD:HH:MM:SS")
        days, hours, minutes, seconds = map(int, match.groups())
        duration = timedelta(days, seconds, minutes=minutes, hours=hours)
    elif isinstance(duration, dict):
        duration = timedelta(**duration)
    return duration.total_seconds()
